"""CloudDQ imported: entities with their columns, rules without SQL, files that refer to each other."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml

from contracts.authoring.imports.importing import import_sources
from contracts.authoring.imports.suites.clouddq import CHECKS
from tests.unit.contracts.authoring.imports.importing import codes, documents, imported, notes, refused

FORM = "clouddq"
CONFIG: dict[str, Any] = {
    "entities": {
        "PEOPLE": {
            "table_name": "people",
            "columns": {
                "ID": {"name": "id", "data_type": "STRING", "description": "An id."},
                "SINCE": {"name": "since", "data_type": "DATETIME"},
            },
        }
    },
    "row_filters": {"NONE": {"filter_sql_expr": "True"}, "NEW": {"filter_sql_expr": "since > '2026'"}},
    "rules": {
        "THERE": {"rule_type": "NOT_NULL", "dimension": "completeness"},
        "WRITTEN": {"rule_type": "NOT_BLANK"},
        "MAIL": {"rule_type": "REGEX", "params": {"pattern": "^[^@]+@[^@]+$"}},
        "SHORT": {"rule_type": "CUSTOM_SQL_EXPR", "params": {"custom_sql_expr": "LENGTH($column) <= 30"}},
        "ONCE": {
            "rule_type": "CUSTOM_SQL_STATEMENT",
            "params": {
                "custom_sql_statement": "select $names from data group by $names having count(*) > $most",
                "custom_sql_arguments": ["names", "most"],
            },
        },
    },
    "reference_columns": {"KEYS": {"include_reference_columns": ["ID", "SINCE"]}},
    "rule_bindings": {
        "B": {
            "entity_id": "PEOPLE",
            "column_id": "ID",
            "row_filter_id": "NONE",
            "rule_ids": ["THERE", "WRITTEN", "MAIL"],
            "metadata": {"brand": "one"},
        }
    },
}


def changed(*path: str, to: Any) -> str:
    data = copy.deepcopy(CONFIG)
    owner: Any = data
    for part in path[:-1]:
        owner = owner[part]
    owner[path[-1]] = to
    return json.dumps(data)


OF_ANOTHER = {"rule_type": "CUSTOM_SQL_EXPR", "params": {"custom_sql_expr": "$column in (select id from t)"}}


def bound(*rules: Any, **more: Any) -> str:
    return changed("rule_bindings", "B", to={"entity_id": "PEOPLE", "column_id": "ID", "rule_ids": list(rules), **more})


def one(text: str) -> dict[str, Any]:
    (document,) = documents(FORM, text)
    table = document["schema"][0]
    assert isinstance(table, dict)
    return table


def test_entity_makes_a_contract_with_its_columns() -> None:
    (document,) = documents(FORM, bound())
    assert document["id"] == "PEOPLE"
    assert document["schema"] == [
        {
            "name": "people",
            "properties": [
                {"name": "id", "description": "An id.", "logicalType": "string"},
                {"name": "since", "logicalType": "timestamp", "logicalTypeOptions": {"timezone": False}},
            ],
        }
    ]


@pytest.mark.parametrize("kind", CHECKS)
def test_rule_without_sql_is_a_check(kind: str) -> None:
    name = {"NOT_NULL": "THERE", "NOT_BLANK": "WRITTEN", "REGEX": "MAIL"}[kind]
    (entry,) = one(bound(name))["properties"][0]["quality"]
    expected = copy.deepcopy(CHECKS[kind])
    if kind == "REGEX":
        expected["implementation"]["pattern"] = "^[^@]+@[^@]+$"
    assert {k: v for k, v in entry.items() if k != "dimension"} == {"id": f"B-{name}", **expected}
    assert refused(FORM, bound(name)) == notes(FORM, bound(name)) == []


def test_dimension_and_metadata_are_kept() -> None:
    first, *_ = one(json.dumps(CONFIG))["properties"][0]["quality"]
    assert first["dimension"] == "completeness"
    assert [(p["property"], p["value"]) for p in first["customProperties"]] == [("brand", "one")]


def test_dimension_that_odcs_lacks_is_kept() -> None:
    text = changed("rules", "THERE", to={"rule_type": "NOT_NULL", "dimension": "shape"})
    first, *_ = one(text)["properties"][0]["quality"]
    assert [(p["property"], p["value"]) for p in first["customProperties"]] == [
        ("dimension", "shape"),
        ("brand", "one"),
    ]
    assert "dimension" not in first
    assert notes(FORM, text) == refused(FORM, text) == []


def looking_up(sql: str, **binding: Any) -> str:
    """Return a configuration whose rule looks the id up in another entity."""
    data = json.loads(bound("SEEN", **binding))
    data["rules"]["SEEN"] = {
        "rule_type": "CUSTOM_SQL_EXPR", "dimension": "consistency", "params": {"custom_sql_expr": sql}
    }  # fmt: skip
    data["entities"]["STAFF"] = {"table_name": "staff", "columns": {"ID": {"name": "id", "data_type": "STRING"}}}
    return json.dumps(data)


@pytest.mark.parametrize(
    "sql", ["$column in (select id from `project.data.staff`)", "($column IN (SELECT DISTINCT ID FROM staff))"]
)
def test_lookup_in_another_entity_is_a_relationship(sql: str) -> None:
    people, _ = documents(FORM, looking_up(sql))
    assert people["schema"][0]["properties"][0]["relationships"] == [
        {"id": "B-SEEN", "to": "staff.v1.yaml#/schema/staff/properties/id",
         "customProperties": [{"property": "dimension", "vendor": "dropgate-import", "value": "consistency"}]}
    ]  # fmt: skip
    assert notes(FORM, looking_up(sql)) == refused(FORM, looking_up(sql)) == []


@pytest.mark.parametrize(
    ("sql", "binding"),
    [
        ("$column in (select id from elsewhere)", {}),
        ("$column in (select id from staff where id > 'a')", {}),
        ("$column not in (select id from staff)", {}),
        ("$column in (select name from staff)", {}),
        ("$column in (select id from staff)", {"row_filter_id": "NEW"}),
    ],
)
def test_other_lookup_is_kept_with_a_note(sql: str, binding: dict[str, Any]) -> None:
    people, _ = documents(FORM, looking_up(sql, **binding))
    assert "relationships" not in people["schema"][0]["properties"][0]
    assert [p["property"] for p in people["schema"][0]["customProperties"]] == ["B-SEEN"]
    assert any(
        "`SEEN` is a rule of type CUSTOM_SQL_EXPR, which is not built" in note
        for note in notes(FORM, looking_up(sql, **binding))
    )


TWO_TYPES = "Values of different types are compared: `since` is timestamp and `'2026'` is text."
NO_WATERMARK = "A watermark is a date, a timestamp, an integer or an exact number; `id` is string."
LOST = {
    "SQL of another table": (
        changed("rules", "WRITTEN", to=OF_ANOTHER),
        "`WRITTEN` is a rule of type CUSTOM_SQL_EXPR, which is not built: `in` needs a list of values.",
    ),
    "SQL that is cut short": (
        bound({"ONCE": {"names": "id(", "most": 1}}),
        "`ONCE` is a rule of type CUSTOM_SQL_STATEMENT, which is not built: its SQL cannot be read.",
    ),
    "a filter": (
        bound("THERE", row_filter_id="NEW"),
        f"`THERE` is a rule of type NOT_NULL, which is not built: its row filter `since > '2026'`: {TWO_TYPES}",
    ),
    "reference columns of a set": (
        bound({"ONCE": {"names": "id", "most": 1}}, reference_columns_id="KEYS"),
        "The reference columns of `ONCE`, which is about no record.",
    ),
    "newer rows by a text": (
        bound("THERE", incremental_time_filter_column_id="ID"),
        f"`incremental_time_filter_column_id` of `B`: {NO_WATERMARK}",
    ),
    "an entity elsewhere": (
        changed("rule_bindings", "B", to={"entity_uri": "bigquery://x", "column_id": "ID", "rule_ids": ["THERE"]}),
        "`B` is bound to no entity of these files.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LOST)
def test_what_has_no_equivalent_is_named(case: str) -> None:
    text, message = LOST[case]
    assert notes(FORM, text) == [message]


def test_rule_with_sql_is_kept_whole() -> None:
    arguments = {"names": "none", "most": 1}
    (entry,) = one(bound({"ONCE": arguments}))["customProperties"]
    assert entry["property"] == "B-ONCE"
    assert entry["value"] == {
        "column": "id", "where": "true", "rule": CONFIG["rules"]["ONCE"], "arguments": arguments
    }  # fmt: skip


def test_statement_comes_over_with_filter_and_parameters() -> None:
    data = json.loads(bound({"ONCE": {"names": "id", "most": 1}}, row_filter_id="NEW"))
    data["row_filters"]["NEW"]["filter_sql_expr"] = "SAFE_DIVIDE(LENGTH(id), 2) > 1"
    assert one(json.dumps(data))["quality"] == [
        {
            "id": "B-ONCE",
            "type": "custom",
            "engine": "dropgate",
            "implementation": {
                "metric": "statement",
                "statement": "SELECT id FROM data GROUP BY id HAVING COUNT(*) > ${most}",
                "parameters": {"most": 1},
                "filter": "TRY_DIVIDE(LENGTH(id), 2) > 1",
            },
        }
    ]


def test_incremental_column_is_the_watermark_of_every_rule() -> None:
    text = bound("THERE", "MAIL", {"ONCE": {"names": "id", "most": 1}}, incremental_time_filter_column_id="SINCE")
    table = one(text)
    entries = [*table["properties"][0]["quality"], *table["quality"]]

    assert [e.get("arguments", e.get("implementation", {})).get("watermark") for e in entries] == ["since"] * 3
    assert refused(FORM, text) == notes(FORM, text) == []


def test_incremental_column_that_is_not_there_is_an_error() -> None:
    assert codes(FORM, bound("THERE", incremental_time_filter_column_id="SINC")) == [("unknown-id", 1)]


def test_filter_and_reference_columns_stand_in_every_rule_of_rows() -> None:
    data = json.loads(bound("THERE", "MAIL", row_filter_id="NEW", reference_columns_id="KEYS"))
    data["row_filters"]["NEW"]["filter_sql_expr"] = "id <> 'x'"
    data["rules"]["MAIL"]["params"]["pattern"] = r"^[\\\\w]+$"
    more = {"filter": "id <> 'x'", "referenceColumns": ["id", "since"]}
    there, mail = one(json.dumps(data))["properties"][0]["quality"]
    assert there["arguments"] == more
    assert mail["implementation"] == {"metric": "regex", "pattern": r"^[\\w]+$", "mustBe": 0, **more}


@pytest.mark.parametrize(
    ("listed", "names", "lost"),
    [(["ID", "since"], ["id", "since"], 0), (["id", "OTHER"], ["id"], 1), (["*"], None, 0), (None, None, 0)],
)
def test_reference_columns_are_those_of_the_entity(listed: Any, names: Any, lost: int) -> None:
    data = json.loads(bound("THERE", reference_columns_id="KEYS"))
    data["reference_columns"]["KEYS"]["include_reference_columns"] = listed
    text = json.dumps(data)
    (there,) = one(text)["properties"][0]["quality"]
    assert there.get("arguments", {}).get("referenceColumns") == names
    assert len(notes(FORM, text)) == lost


BAD = {
    "a rule that is nowhere": (bound("THREE"), "unknown-id"),
    "reference columns that are nowhere": (bound("THERE", reference_columns_id="KEY"), "unknown-id"),
    "a filter that is nowhere": (bound("THERE", row_filter_id="SOME"), "unknown-id"),
    "an entity that is nowhere": (bound("THERE", entity_id="PLACES"), "unknown-id"),
    "a column that is nowhere": (bound("THERE", column_id="NAME"), "unknown-id"),
    "a rule of no type": (changed("rules", "MAIL", to={}), "missing-key"),
    "two rules in one": (bound({"THERE": {}, "MAIL": {}}), "bad-value"),
    "no entities": (json.dumps({"rules": CONFIG["rules"]}), "nothing-there"),
}


@pytest.mark.parametrize("case", BAD)
def test_configuration_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, code = BAD[case]
    assert [reported for reported, _ in codes(FORM, text)] == [code]


def files(**more: str) -> list[tuple[bytes, str]]:
    parts = {f"{name}.yml": yaml.safe_dump({name: value}) for name, value in CONFIG.items()}
    return [(text.encode(), name) for name, text in {**parts, **more}.items()]


def test_files_refer_to_each_other() -> None:
    (whole,) = import_sources(FORM, files())
    assert [c.name for c in whole.contracts] == ["PEOPLE.v1"]
    assert [f.code for f in whole.findings] == []


def test_finding_names_its_own_file() -> None:
    (merged,) = import_sources(FORM, files(**{"rules.yml": "rules:\n  THERE: {}\n"}))
    assert ("rules.yml", 2, "missing-key") in [(f.file, f.line, f.code) for f in merged.findings]
    again = "rules:\n  MAIL: {rule_type: NOT_NULL}\n"
    (merged,) = import_sources(FORM, files(**{"z.yml": again}))
    assert [(f.file, f.line, f.code) for f in merged.findings] == [("z.yml", 2, "duplicate-key")]
    (merged,) = import_sources(FORM, files(**{"z.yml": "a: [", "y.yml": "- 1"}))
    assert [(f.file, f.code) for f in merged.findings] == [("y.yml", "wrong-format"), ("z.yml", "yaml-syntax")]


def test_expression_comes_over_in_sparks_sql() -> None:
    text = "REGEXP_CONTAINS($column, mask) and since < $until"
    data = json.loads(
        changed("rules", "SHORT", to={"rule_type": "CUSTOM_SQL_EXPR", "params": {"custom_sql_expr": text}})
    )
    data["rule_bindings"]["B"]["rule_ids"] = [{"SHORT": {"mask": "^[A-Z]+$", "until": 5}}]
    data["entities"]["PEOPLE"]["columns"]["SINCE"]["data_type"] = "INT64"

    (document,) = documents(FORM, json.dumps(data))
    (entry,) = document["schema"][0]["quality"]

    assert entry["implementation"] == {
        "metric": "expression",
        "expression": "`id` RLIKE '^[A-Z]+$' AND since < ${until}",
        "parameters": {"until": 5},
    }
    assert entry["id"] == "B-SHORT"


VOLUMES = """select * from (select count(*) as n from data
where date_trunc(cast($ts_column as date), $interval) = date_trunc(cast("$as_at_ts" as date), $interval)) where n """
MEAN = """/ (select count(*) / count(distinct date_trunc(cast($ts_column as date), $interval)) from data
where cast($ts_column as date) >= cast("$avg_from_ts" as date)) not between 0.9 and 1.1"""
FORMER = """<> (select count(*) from data where cast($ts_column as date) =
date_sub(cast("$as_at_ts" as date), interval $N_periods_back $interval))"""
SINCE = {"avg_from_ts": "2021-12-01", "deviation_threshold_pct": 15}


@pytest.mark.parametrize(
    ("condition", "arguments", "relative"),
    [
        (MEAN, SINCE, "mustBeBetween: [-15, 15], arguments: {relativeTo: {of: mean, last: 8}}"),
        (FORMER, {"N_periods_back": 1}, "mustBeBetween: [-10, 10], arguments: {relativeTo: {of: mean, last: 1}}"),
        (FORMER, {"N_periods_back": 2}, "mustBeBetween: [-10, 10], arguments: {relativeTo: {of: mean, last: 8}}"),
        (
            FORMER,
            {"N_periods_back": 7},
            "mustBeBetween: [-10, 10], arguments: {relativeTo: {of: mean, last: 1, period: weekday}}",
        ),
        ("<= $threshold", {"threshold": 100}, None),
    ],
)
def test_volumes_of_periods_stay_a_statement_that_names_its_check_against_history(
    condition: str, arguments: dict[str, Any], relative: str | None
) -> None:
    rule = {"rule_type": "CUSTOM_SQL_STATEMENT", "params": {"custom_sql_statement": VOLUMES + condition}}
    data = json.loads(changed("rules", "ONCE", to=rule))
    of_day = {"ts_column": "since", "as_at_ts": "2021-12-22", "interval": "day"}
    data["rule_bindings"]["B"]["rule_ids"] = [{"ONCE": {**of_day, **arguments}}]
    text = json.dumps(data)
    (entry,) = one(text)["quality"]
    fixes = [finding.fix for finding in imported(FORM, text).findings]

    assert entry["implementation"]["metric"] == "statement"
    assert refused(FORM, text) == []
    where = "Where each file is a period of its own, write `{metric: rowCount, "
    assert fixes == ([] if relative is None else [f"{where}{relative}}}` in its place."])


@pytest.mark.parametrize("empty", [b"", b"# rules of next year\n", b"---\n"])
def test_empty_file_beside_others_is_none(empty: bytes) -> None:
    entity = b"entities: {T: {columns: {A: {name: a, data_type: STRING}}}}\n"

    alone, beside = (
        import_sources("clouddq", sources) for sources in ([(entity, "a.yml")], [(entity, "a.yml"), (empty, "b.yml")])
    )

    assert alone[0].contracts
    assert [r.contracts for r in alone] == [r.contracts for r in beside]
