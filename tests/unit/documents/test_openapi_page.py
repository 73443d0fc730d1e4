"""functions/api/openapi.json and docs/reference/openapi.json: both are what the routes generate."""

from __future__ import annotations

import json
import os
import re

from functions.api import house, openapi, producers
from functions.api.identity.access import OPERATIONS, PERMITS
from functions.api.identity.callers import ROLES
from functions.api.routes.description import DOCUMENT
from infra.local.gateway import routes_of
from infra.local.template.template import expand
from infra.packaging.bundles import ROOT
from tests.unit.functions.pages.browsing import KEYS

PAGE = ROOT / "docs" / "reference" / "openapi.json"
BODY = openapi.document((*producers.ROUTES, *house.ROUTES))


def test_document_is_what_the_routes_generate() -> None:
    text = json.dumps(BODY, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        for place in (DOCUMENT, PAGE):
            place.write_text(text, encoding="utf-8")

    assert DOCUMENT.read_text(encoding="utf-8") == text
    assert PAGE.read_text(encoding="utf-8") == text


def test_document_is_of_openapi_3_1_with_every_operation() -> None:
    operations = {each["operationId"] for path in BODY["paths"].values() for each in path.values()}

    assert BODY["openapi"].startswith("3.1.")
    assert operations == set(OPERATIONS)


def test_every_reference_of_the_document_leads_somewhere() -> None:
    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(BODY)))

    assert names == set(BODY["components"]["schemas"])


def test_template_has_a_route_for_every_operation() -> None:
    routes = {route.key for route in routes_of(expand(ROOT / "template.yaml", "us-east-1", {"Api": "true"}))}
    described = {f"{method.upper()} {path}" for path, each in BODY["paths"].items() for method in each}

    assert routes == described | {"GET /openapi.json", "GET /receipts/{token}"} | set(KEYS)


def test_page_has_the_table_of_roles() -> None:
    text = (ROOT / "docs" / "how-to" / "api.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|(.*)\|$", text, re.MULTILINE)
    wanted = {operation: [PERMITS[operation].get(role, "") for role in ROLES] for operation in OPERATIONS}

    assert {name: [cell.strip() for cell in row] for name, *row in cells} == wanted


def test_each_operation_needs_a_token() -> None:
    assert BODY["security"] == [{"token": []}]
    assert BODY["components"]["securitySchemes"]["token"]["bearerFormat"] == "JWT"
