"""DuckDB with SQL by hand: `python -m bench.rivals.duckdb_sql CHECKS COLUMNS`. The floor: a count for each check."""

from __future__ import annotations

import json
import sys

import duckdb

from bench.rivals.answering import Counts, Wanted, serve, wanted

TYPES = {"integer": "BIGINT", "number": "DOUBLE", "date": "DATE"}
READER = "left to the reader, which stops at the first fault"


def main(checks: list[Wanted], columns: dict[str, str]) -> None:
    """Serve, with the two cores that Spark has."""
    connection = duckdb.connect(config={"threads": 2})
    conditions = {c.id: condition for c in checks if (condition := fails(c))}
    unique = [c for c in checks if c.kind == "unique"]
    cannot = {c.id: READER for c in checks if c.id not in conditions and c not in unique}
    types = ", ".join(f"'{name}': '{TYPES.get(kind, 'VARCHAR')}'" for name, kind in columns.items())

    def judge(file: str) -> Counts:
        source = f"read_csv('{file}', header = true, auto_detect = false, columns = {{{types}}})"
        counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in conditions.values())
        row = connection.sql(f"SELECT {counts} FROM {source}").fetchone()  # noqa: S608 (the bench's own file)
        return dict(zip(conditions, row, strict=True)) | {c.id: repeated(connection, source, c) for c in unique}

    serve(f"DuckDB {duckdb.__version__}, SQL by hand", cannot, judge)


def fails(check: Wanted) -> str | None:
    """The condition of a row that fails; none for what a row alone does not say, or the reader does."""
    column, arguments = f'"{check.property}"', check.arguments
    match check.kind:
        case "required" | "nullValues":
            return f"{column} IS NULL"
        case "minimum":
            return f"{column} < {arguments['value']}"
        case "maximum":
            return f"{column} > {arguments['value']}"
        case "pattern":
            return f"NOT regexp_matches({column}, '{arguments['pattern']}')"
        case "enum":
            return f"{column} NOT IN ({', '.join(repr(v) for v in arguments['values'])})"
    return None


def repeated(connection: duckdb.DuckDBPyConnection, source: str, check: Wanted) -> int:
    """Return the number of rows that share their value with another row."""
    groups = f'SELECT count(*) AS n FROM {source} WHERE "{check.property}" IS NOT NULL GROUP BY "{check.property}"'  # noqa: S608
    row = connection.sql(f"SELECT coalesce(sum(n), 0)::BIGINT FROM ({groups}) WHERE n > 1").fetchone()  # noqa: S608
    assert row
    return int(row[0])


if __name__ == "__main__":
    main(wanted(sys.argv[1]), json.loads(sys.argv[2]))
