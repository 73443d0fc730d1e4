"""The data that consumers get from a file with bad rows, through the whole flow: its valid rows, or nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.plan import SHEETS, Plan, Property
from functions.operations.override import Overruled, reject
from tests import workbooks
from tests.e2e.conftest import HERE, World
from tests.workbooks import Rows

HEAD = b"id,name,amount,day,at\n"
SHEET: Rows = [
    ["id", "name", "amount", "day", "at"],
    [1, "Ana", 1.5, date(2026, 1, 31), datetime.fromisoformat("2026-01-31T12:00:00")],
    ["x", "Bo"],
    [3],
]
OBJECTS = (
    '{"id": 1, "name": "Ana", "amount": 1.50, "day": "2026-01-31", "at": "2026-01-31T12:00:00Z"}',
    '{"id": "x", "name": "Bo"}',
    '{"id": 3}',
)
ELEMENTS = (
    "<o><id>1</id><name>Ana</name><amount>1.50</amount><day>2026-01-31</day><at>2026-01-31T12:00:00Z</at></o>",
    "<o><id>x</id><name>Bo</name></o>",
    "<o><id>3</id></o>",
)
WHOLE: dict[str, tuple[str, bytes]] = {
    **{form: (f"format: {form}", workbooks.made(form, {"S": SHEET})) for form in SHEETS},
    "json": ("format: json\n      json: {property: data}", f'{{"data": [{", ".join(OBJECTS)}]}}'.encode()),
    "xml": ("format: xml\n      xml: {record: all/o}", f"<all>{''.join(ELEMENTS)}</all>".encode()),
}
"""Files that a job turns into lines, and what the contract of each says, by their format."""


def test_rows_are_promoted_without_the_rejected(world: World) -> None:
    some = world.upload("sifted/some.csv", b"id,name\n1,Ana\nx,Bo\n3,\n")
    none = world.upload("sifted/none.csv", b"id,name\n1,Ana\n")
    many = world.upload("sifted/many.csv", b"id,name\nx,Ana\ny,Bo\n3,\n")
    ended = {name: world.settled(drop).state for name, drop in (("some", some), ("none", none), ("many", many))}

    assert ended == {"some": "accepted_with_warnings", "none": "accepted", "many": "rejected"}
    promoted = {name: body for name, body in world.objects("promoted").items() if name.startswith("sifted.v1/")}
    assert promoted == {
        "sifted.v1/sifted/some.csv": b"id,name\n1,Ana\n3,\n",
        "sifted.v1/sifted/none.csv": b"id,name\n1,Ana\n",
    }


def test_files_with_a_trailer_are_promoted_without_it(world: World) -> None:
    plan = next(p for p in world.plans if p.contract == "ended.v1")
    rows = replace(plan, contract="sealed.v1", id="sealed", files=("sealed/*.csv",), promote="rows")
    world.embedded.publish([*world.plans, rows])
    drop = world.settled(world.upload("sealed/1.csv", b"id|amount\n1|10.50\n2|1.50\nEND|2|12.00\n"))
    world.embedded.publish(world.plans)

    assert drop.state == "accepted"
    assert world.objects("promoted")["sealed.v1/sealed/1.csv"] == b"id|amount\n1|10.50\n2|1.50\n"


def rows(world: World, spark: SparkSession, columns: str, table: str = "tabled.v1") -> list[tuple[object, ...]]:
    """Return the rows that Delta's own reader gets from the table."""
    reader = spark.newSession()
    # Its extension is for SQL's statements, and would hold for all sessions of this JVM.
    reader.conf.set("spark.databricks.delta.requiredSparkConfsCheck.enabled", "false")
    frame = reader.read.format("delta").load(f"{world.ports.zones.promoted}{table}")
    return sorted(tuple(row) for row in frame.selectExpr(*columns.split()).collect())


def test_valid_rows_go_into_a_delta_table(world: World, spark: SparkSession) -> None:
    some = world.upload("tabled/some.csv", HEAD + b"1,Ana,1.50,2026-01-31,2026-01-31T12:00:00Z\nx,Bo,,,\n3,,,,\n")
    many = world.upload("tabled/many.csv", HEAD + b"x,Ana,,,\ny,Bo,,,\n3,,,,\n")
    ended = [world.settled(drop).state for drop in (some, many)]

    assert ended == ["accepted_with_warnings", "rejected"]
    assert rows(world, spark, "id name amount day date_format(at,'yyyy-MM-dd_HH:mm') _drop _record") == [
        (1, "Ana", Decimal("1.50"), date(2026, 1, 31), "2026-01-31_12:00", some, 1),
        (3, None, None, None, None, some, 3),
    ]
    assert not any(many in name for name in world.objects("promoted"))

    other = world.settled(world.upload("tabled/other.csv", HEAD + b"7,,,,\n"))
    newer = world.settled(world.upload("tabled/some.csv", HEAD + b"2,Ana,,,\n"))
    assert rows(world, spark, "id _drop") == [(2, newer.id), (7, other.id)]

    plan = next(p for p in world.plans if p.contract == "tabled.v1")
    wider = replace(plan, version="1.1.0", properties=(*plan.properties, Property("more", "boolean")))
    world.embedded.publish([*(p for p in world.plans if p is not plan), wider])
    last = world.settled(world.upload("tabled/last.csv", HEAD.strip() + b",more\n8,,,,,true\n"))
    world.embedded.publish(world.plans)
    assert rows(world, spark, "id _drop more") == [(2, newer.id, None), (7, other.id, None), (8, last.id, True)]

    assert isinstance(reject(world.ports, newer, "anna", "sent by mistake"), Overruled)
    assert rows(world, spark, "id _drop") == [(7, other.id), (8, last.id)]


def tabled(form: str) -> Plan:
    """The contract of the table for files of another format."""
    text = (HERE / "contracts" / "sales" / "tabled.v1.yaml").read_text()
    own = text.replace("format: csv", WHOLE[form][0]).replace("tabled", f"tabled-{form}")
    compiled = compile_text(own.encode(), f"tabled-{form}.v1.yaml")
    assert compiled.plan, compiled.findings
    return compiled.plan


def test_valid_rows_of_documents_go_into_delta_tables(world: World, spark: SparkSession) -> None:
    world.embedded.publish([*world.plans, *map(tabled, WHOLE)])
    with world.embedded.asleep():
        drops = {form: world.upload(f"tabled-{form}/1.{form}", body) for form, (_, body) in WHOLE.items()}
        world.take_in()
    ended = {form: world.settled(drop).state for form, drop in drops.items()}
    world.embedded.publish(world.plans)

    assert set(ended.values()) == {"accepted_with_warnings"}
    columns = "id name amount day date_format(at,'yyyy-MM-dd_HH:mm') _drop _record"
    for form, drop in drops.items():
        assert rows(world, spark, columns, f"tabled-{form}.v1") == [
            (1, "Ana", Decimal("1.50"), date(2026, 1, 31), "2026-01-31_12:00", drop, 1),
            (3, None, None, None, None, drop, 3),
        ]
