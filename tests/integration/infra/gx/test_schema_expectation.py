"""`expect_table_schema_to_match_data_contract_schema` in suites of Great Expectations: pandas, Spark, Data Docs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.errors import ContractInvalid
from infra.gx.store import opened
from infra.setup.expectations import bring
from tests.unit.contracts.authoring.documents import HEAD, a_document

NESTED = """\
- {name: id, logicalType: integer}
- {name: amount, logicalType: number}
- {name: paid, logicalType: boolean}
- {name: day, logicalType: date}
- {name: at, logicalType: timestamp}
- {name: note, logicalType: string}
- name: customer
  logicalType: object
  properties:
    - {name: name, logicalType: string}
    - {name: city, logicalType: string}
- name: lines
  logicalType: array
  items:
    logicalType: object
    properties:
      - {name: sku, logicalType: string}
      - {name: price, logicalType: number}
- {name: tags, logicalType: array, items: {logicalType: string}}
"""
WRONG = {
    "`amount` is missing; the contract has it as `number`.",
    "`paid` is `{string}`; the contract has it as `boolean`.",
    "`customer.city` is missing; the contract has it as `string`.",
    "`lines[].price` is `{string}`; the contract has it as `number`.",
    "`tags[]` is `{long}`; the contract has it as `string`.",
}
NOON = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)
LINES = [{"sku": "a", "price": 1.5}]
SPARK = (
    "id bigint, amount decimal(10,2), paid boolean, day date, at timestamp, note string, "
    "customer struct<name: string, city: string>, lines array<struct<sku: string, price: double, more: int>>, "
    "tags array<string>, more binary"
)
BROKEN = (
    "id int, paid string, day date, at timestamp, note string, customer struct<name: string>, "
    "lines array<struct<sku: string, price: string>>, tags array<bigint>"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contract store with two versions of one table, the older with one property."""
    folder = tmp_path_factory.mktemp("store")
    older = a_document("- {name: id, logicalType: integer}\n")
    newer = a_document(NESTED, head=HEAD.replace("1.0.0", "1.1.0"))
    for version, text in (("1.0.0", older), ("1.1.0", newer)):
        path = folder / "contracts" / version / "orders" / "orders.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return folder


@pytest.fixture(scope="module")
def schema(spark: SparkSession) -> Iterator[ModuleType]:
    """The module of the expectation, once the library is on the path."""
    bring(spark, lambda _: None)
    from infra.gx import schema  # noqa: PLC0415 (it cannot be imported before)

    yield schema
    spark.sparkContext.environment.pop("PYTHONPATH", None)


def a_batch(frame: Any, engine: str) -> Any:
    import great_expectations as gx  # noqa: PLC0415 (it cannot be imported before)

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_pandas("p") if engine == "pandas" else context.data_sources.add_spark("s")
    asset = source.add_dataframe_asset("orders")
    return asset.add_batch_definition_whole_dataframe("whole").get_batch({"dataframe": frame})


def a_frame(right: bool) -> Any:
    import pandas as pd  # noqa: PLC0415 (it comes with the library)

    common: dict[str, Any] = {"id": [1, None], "day": [dt.date(2026, 1, 31)] * 2, "at": [NOON] * 2, "note": [None, "x"]}
    if right:
        more = {"amount": [1.5, 2], "paid": [True, False], "tags": [["a"], []], "more": [1, 2]}
        customers = [{"name": "A", "city": None}, {"city": "B"}]
        return pd.DataFrame(common | more | {"customer": customers, "lines": [LINES, []]})
    wrong = {"paid": ["yes", "no"], "customer": [{"name": "A"}, None], "lines": [[{"sku": "a", "price": "1"}], []]}
    return pd.DataFrame(common | wrong | {"tags": [[1], [2]]})


def messages_of(result: Any) -> set[str]:
    return set(result.result["details"]["messages"])


@pytest.mark.parametrize("engine", ["spark", "pandas"])
def test_every_field_is_there_with_its_type(spark: SparkSession, schema: ModuleType, store: Path, engine: str) -> None:
    frames = {
        "spark": lambda right: spark.createDataFrame([], SPARK if right else BROKEN),
        "pandas": a_frame,
    }
    (suite,) = schema.suites(str(store))
    right, wrong = (a_batch(frames[engine](how), engine).validate(suite).results[0] for how in (True, False))
    names = {"spark": {"string": "string", "long": "long"}, "pandas": {"string": "str", "long": "int"}}[engine]

    assert (right.success, messages_of(right)) == (True, set())
    assert (wrong.success, messages_of(wrong)) == (False, {line.format(**names) for line in WRONG})
    assert wrong.result["observed_value"] == "5 of 13 contracted fields missing or of another type"


@pytest.mark.parametrize("null", ["nan", "NaT", "None"])
def test_columns_without_a_value_are_of_any_type(schema: ModuleType, store: Path, null: str) -> None:
    import pandas as pd  # noqa: PLC0415 (it comes with the library)

    nothing = {"nan": float("nan"), "NaT": pd.NaT, "None": None}[null]
    names = ("id", "amount", "paid", "day", "at", "note", "customer", "lines", "tags")
    frame = pd.DataFrame({name: [nothing, nothing] for name in names})
    (suite,) = schema.suites(str(store))
    (result,) = a_batch(frame, "pandas").validate(suite).results

    assert (result.success, messages_of(result)) == (True, set())


def test_pinned_version_is_that_of_then(spark: SparkSession, schema: ModuleType, store: Path) -> None:
    batch = a_batch(spark.createDataFrame([], "id bigint"), "spark")
    asked = {"data_product": "orders", "table_name": "orders", "contract_store": str(store)}
    expect = schema.ExpectTableSchemaToMatchDataContractSchema
    pinned, latest, unknown = (batch.validate(expect(**asked, version=v)) for v in ("1.0.0", "latest", "3.0.0"))

    assert (pinned.success, pinned.result["details"]["version"]) == (True, "1.0.0")
    assert (latest.success, latest.result["details"]["version"]) == (False, "1.1.0")
    assert (unknown.success, "has no version `3.0.0`" in str(unknown.exception_info)) == (False, True)


def test_suites_are_critical_and_named_for_their_tables(schema: ModuleType, store: Path) -> None:
    (suite,) = schema.suites(str(store), "1.0.0")

    assert suite.name == "orders.data_contract_schema.orders"
    assert (suite.meta["critical"], suite.meta["contract"]) == (True, "orders.v1")
    assert suite.expectations[0].configuration.kwargs["version"] == "1.0.0"
    assert schema.suites(str(store), "9.0.0") == []
    assert [one.meta["critical"] for one in schema.suites(str(store), critical=False)] == [False]


def test_table_without_a_contract_is_an_error(store: Path) -> None:
    with pytest.raises(ContractInvalid, match="did you mean `orders/orders`"):
        opened(str(store)).title("orders", "order")
    with pytest.raises(ContractInvalid, match="is neither a folder of contracts"):
        opened(f"{store}/nowhere")


def test_data_docs_say_what_is_asked_and_what_is_wrong(
    spark: SparkSession, schema: ModuleType, store: Path, tmp_path: Path
) -> None:
    import great_expectations as gx  # noqa: PLC0415 (it cannot be imported before)

    context: Any = gx.get_context(mode="ephemeral")
    site = {
        "class_name": "SiteBuilder",
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(tmp_path)},
    }
    context.add_data_docs_site("local", site)
    suite = context.suites.add(schema.suites(str(store))[0])
    whole = context.data_sources.add_spark("s").add_dataframe_asset("t").add_batch_definition_whole_dataframe("w")
    checked = context.validation_definitions.add(gx.ValidationDefinition(name="v", data=whole, suite=suite))
    checked.run(batch_parameters={"dataframe": spark.createDataFrame([], BROKEN)})
    context.build_data_docs()
    (page,) = (tmp_path / "validations").rglob("*.html")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.read_text()))

    assert "Must have all fields of orders/orders, version latest, with their types; it may have more." in text
    assert "`lines[].price` is `string`; the contract has it as `number`." in text
    assert "5 of 13 contracted fields missing or of another type" in text
