"""The OpenAPI document against the API over HTTP: drawn requests, good and bad, get answers that it describes.

schemathesis draws requests from the document that the stack serves, as producer, operator, and with tokens that nobody
should take. No answer is a 5xx, and none is of a status, media type or form that the document lacks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from functions.api.routes.description import DOCUMENT
from tests.integration.functions.test_api import JUDGED_AGAIN, Site, site  # noqa: F401 - a fixture

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 25
"""Requests of each operation, good and bad, by all callers."""
SCHEMA = schemathesis.openapi.from_dict(json.loads(DOCUMENT.read_text(encoding="utf-8")))
OPERATIONS = {
    each.ok().definition.raw["operationId"]: each.ok() for each in SCHEMA.get_all_operations() if isinstance(each, Ok)
}
KNOWN = {
    "drop": ("drop", JUDGED_AGAIN, "\u00e9", "a" * 32),
    "contract": ("orders.v1", "none.v1", "orders.v1/../x"),
    "data_contract": ("orders-1.0.0", "orders-9.9.9", "-"),
    "product": ("orders", "bank"),
    "port": ("orders", "orders.v1", "x"),
    "kind": ("contract", "producer", "x"),
    "name": ("orders.v1", "shop", "none"),
    "version": ("1.0.0", "9.9.9", "x"),
    "form": ("odcs", "avro", "html", "x"),
}
"""Values of parameters of paths that lead somewhere, and some that lead nowhere, as drawn ones hardly ever do."""


def tokens(site: Site) -> dict[str, str | None]:  # noqa: F811
    """Return tokens by who has them; the last ones are none that anybody should take."""
    good = site.issuer.token("shop", "producer")
    header, claims, signature = good.split(".")
    return {
        "producer": good,
        "consumer": site.issuer.token("reader", "consumer"),
        "operator": site.issuer.token("ops", "operator steward"),
        "nobody": None,
        "forged": f"{header}.{claims}.{signature[:-8]}AAAAAAAA",
        "unsigned": f"eyJhbGciOiJub25lIn0.{claims}.",
        "no token": "x.y.z",
    }


CALLERS = ("producer", "consumer", "operator", "nobody", "forged", "unsigned", "no token")
GOOD = CALLERS[:3]


def places(case: Any, drawn: Any, site: Site) -> Iterator[tuple[str, str]]:  # noqa: F811
    """Yield parameters of the path with values that may lead somewhere, for half of the cases."""
    for name in case.path_parameters or {}:
        if name in KNOWN and drawn(st.booleans()):
            value = drawn(st.sampled_from(KNOWN[name]))
            yield name, site.drop if value == "drop" else value


BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def held(case: Any, site: Site, token: str | None) -> int:  # noqa: F811
    """Send a drawn request and hold its answer to the document; the status, 0 if it is API Gateway's own."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = case.call(base_url=site.gateway.endpoint, headers=headers, timeout=30)
    if answer.status_code in (413, 431) or answer.text == '{"message": "Not Found"}':
        return 0  # no route for such a path, or a request that is too large
    case.validate_response(answer, checks=CHECKS)
    return int(answer.status_code)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_answers_are_those_of_the_document(site: Site, operation: str) -> None:  # noqa: F811
    callers = tokens(site)
    drawn = st.one_of(*(OPERATIONS[operation].as_strategy(mode) for mode in GenerationMode))

    def ask(data: st.DataObject) -> None:
        case, caller = data.draw(drawn), data.draw(st.sampled_from(CALLERS))
        if case.path_parameters:
            case.path_parameters.update(dict(places(case, data.draw, site)))
        status = held(case, site, callers[caller])
        assert caller in GOOD or status in (0, 401)

    BOUNDED(given(st.data())(ask))()
