"""The data of a contract for those who read it: how fresh it is, what came with warnings, and how to read it."""

from __future__ import annotations

from contracts.plan import Plan
from functions import keys
from functions.api.contract_texts import entry_of
from functions.api.routes.drops import list_drops
from functions.api.routes.promises import list_slos
from functions.drop import Drop
from functions.keys import Zones
from functions.pages.answers import Answer
from functions.pages.site import Visit
from functions.pages.words import has_consumers, since

MOST = 200
WARNED = 10


def usage(visit: Visit) -> Answer:
    """Return how to use the data of a contract, of this month."""
    here, name = visit.here, visit.request.parts["contract"]
    plan = here.ports.catalog.plan(entry_of(here, name, "read_contract").plan)
    listed = list_drops(here, contract=name, limit=MOST).drops
    newest = next((drop for drop in listed if has_consumers(drop.state)), None)
    with_warnings = [drop.id for drop in listed if drop.state in ("accepted_with_warnings", "observed")][:WARNED]
    record = here.ports.ledger.drop(newest.id) if newest else None
    return visit.page(
        "usage",
        contract=name,
        plan=plan,
        newest=newest,
        age=since(newest.decided_at or newest.changed_at, here.ports.clock.now()) if newest else "",
        place=place_of(here.ports.zones, plan, record),
        warned=[drop for each in with_warnings if (drop := here.ports.ledger.drop(each))],
        promises=list_slos(here, contract=name).contracts,
        snippets=snippets(here.ports.zones, plan),
    )


def place_of(zones: Zones, plan: Plan, newest: Drop | None) -> str:
    """Return where consumers find the data: the table, the newest file, or the contract's folder."""
    if plan.promote == "table" or not (newest and newest.promoted):
        return keys.table_folder(zones, plan.contract)
    return f"{zones.promoted}{newest.promoted.key}"


def snippets(zones: Zones, plan: Plan) -> list[tuple[str, str]]:
    """Return the programs that read the data, each with its name."""
    folder = keys.table_folder(zones, plan.contract)
    if plan.promote == "table":
        return [
            ("Spark", f'spark.read.format("delta").load("{folder.replace("s3://", "s3a://")}")'),
            ("deltalake (Python)", f'from deltalake import DeltaTable\n\nDeltaTable("{folder}").to_pyarrow_table()'),
            ("DuckDB", f"install delta;\nload delta;\nselect * from delta_scan('{folder}');"),
        ]
    return [*_spark(plan, folder), *_duckdb(plan, folder)]


def _spark(plan: Plan, folder: str) -> list[tuple[str, str]]:
    uri = folder.replace("s3://", "s3a://")
    match plan.file_format:
        case "csv":
            dialect = f"sep={plan.csv.delimiter!r}, header={plan.csv.header}, encoding={plan.csv.encoding!r}"
            read = f'csv(\n    "{uri}", {dialect}\n)'
        case "jsonl":
            read = f'json("{uri}")'
        case "json":
            read = f'json("{uri}", multiLine=True)'
        case "parquet":
            read = f'parquet("{uri}")'
        case _:
            return []
    return [("Spark", f'spark.read.option("recursiveFileLookup", "true").{read}')]


def _duckdb(plan: Plan, folder: str) -> list[tuple[str, str]]:
    ends = f"{folder}**/*{plan.suffix}"
    match plan.file_format:
        case "csv":
            delimiter = plan.csv.delimiter.replace("'", "''")
            read = f"read_csv('{ends}', delim = '{delimiter}', header = {str(plan.csv.header).lower()})"
        case "jsonl" | "json":
            read = f"read_json('{ends}')"
        case "parquet":
            read = f"read_parquet('{ends}')"
        case _:
            return []
    access = "install httpfs;\nload httpfs;\ncreate secret (type s3, provider credential_chain);"
    return [("DuckDB", f"{access}\nselect * from {read};")]
