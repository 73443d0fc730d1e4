"""Contract checks of ports: a data product and its port in, a result for each column of what consumers have out."""

from __future__ import annotations

from collections.abc import Iterator

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contracts.catalog import Entry
from contracts.plan import Plan
from functions import keys
from functions.api.asked import Asked, Here
from functions.api.identity.access import Operation
from functions.api.models.published.port_checks import PortCheck, PortCheckResult, result
from functions.api.problems import RequestRefused
from functions.drop import Location
from functions.operations.port_check import Kind, PromotedColumn, is_port, port_tests


def add(app: APIGatewayHttpResolver) -> None:
    """Add these routes to an application."""
    for kind, check in (("input", check_input_port), ("output", check_output_port)):
        app.post(
            f"/<product>/{kind}-ports/<port>/contract_check",
            summary=f"Hold what consumers have to the contract of an {kind} port",
            operation_id=f"check_{kind}_port",
        )(check)


def check_input_port(here: Here, product: str, port: str) -> PortCheck:
    """Return the results for an input port, whose tables may have more columns."""
    return _checked(here, product, port, "input", "check_input_port")


def check_output_port(here: Here, product: str, port: str) -> PortCheck:
    """Return the results for an output port."""
    return _checked(here, product, port, "output", "check_output_port")


def _checked(here: Asked, product: str, port: str, kind: Kind, operation: Operation) -> PortCheck:
    contracts = list(_contracts(here, product, port, kind, operation))
    if not contracts:
        raise RequestRefused(404, f"No contract in force is the {kind} port {port[:200]} of {product[:200]}.")
    return PortCheck([each for entry, plan in contracts for each in _results(here, product, entry, plan, kind)])


def _contracts(here: Asked, product: str, port: str, kind: Kind, operation: Operation) -> Iterator[tuple[Entry, Plan]]:
    """Yield the contracts of a port, one for each of its tables."""
    reach = here.reach(operation)
    for entry in here.entries():
        if reach.covers(entry.producer) and entry.contract.startswith(product):
            plan = here.ports.catalog.plan(entry.plan)
            if is_port(entry, plan, product, port, kind):
                yield entry, plan


def _results(here: Asked, product: str, entry: Entry, plan: Plan, kind: Kind) -> Iterator[PortCheckResult]:
    database = keys.split(here.ports.zones.promoted)[0]
    for test in port_tests(plan, _columns(here, entry, plan), kind):
        yield result(product, database, plan, test)


def _columns(here: Asked, entry: Entry, plan: Plan) -> tuple[PromotedColumn, ...]:
    """Return the columns that consumers of a contract have; RequestRefused with 409 if they have none."""
    from functions.operations.promoted_columns import columns_of_file, columns_of_table, newest_promoted

    drop = newest_promoted(here.ports.ledger, entry.contract, here.ports.clock.now())
    if drop is None or drop.promoted is None:
        raise RequestRefused(409, f"Nothing of {entry.contract} is promoted yet.")
    uri = f"{here.ports.zones.promoted}{drop.promoted.key}"
    if keys.is_table(drop.promoted.key):
        columns = columns_of_table(here.acts().tables, plan, uri)
    else:
        columns = columns_of_file(here.ports.store, plan, drop.name, Location(uri)) or ()
    if not columns:
        raise RequestRefused(409, f"What consumers have of {entry.contract} is gone, or cannot be read as agreed.")
    return columns
