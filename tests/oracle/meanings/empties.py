"""Null, empty text, blanks and null words; files and columns without values; repeated values and nulls among them."""

from __future__ import annotations

from tests.oracle.meanings.case import Case, Meaning, bad, figure, good, one, values

NO_NULL = {"metric": "nullValues", "mustBe": 0}
WORDS = {"nullValues": ["", "NA", "-"]}
TRIMMED = {"trim": True, "nullValues": ["", "NA"]}
BOTH = {"metric": "duplicateValues", "arguments": {"properties": ["@v", "@w"]}, "mustBe": 0, "id": "@id"}
KEY = {
    name: {"logicalType": "string", "primaryKey": True, "primaryKeyPosition": n} for n, name in enumerate("vw", start=1)
}

NOTHING: dict[str, Meaning] = {
    "null breaks no rule about values": Case(
        one("string", pattern="^a", minLength=1, enum=values("a")),
        good("a", None) + bad("enum pattern", "b"),
        says={
            "minLength": "0 of 3, 1 null: passed",
            "enum": "1 of 3, 1 null: failed",
            "pattern": "1 of 3, 1 null: failed",
        },
    ),
    "null breaks required and nullValues": Case(
        one("integer", required=True, quality=[NO_NULL]),
        good("1") + bad("required nullValues", None),
        says={"required": "1 of 2, 0 null: failed", "logicalType": "0 of 2, 1 null: passed"},
    ),
    "null within a threshold is fine": Case(
        one("integer", quality=[{"metric": "nullValues", "mustBeLessThan": 2}]),
        good("1", None),
        says={"nullValues": "1 of 2, 0 null: passed"},
    ),
    "an empty cell of CSV is null": Case(one("string", required=True), csv=bad("required", "", '""') + good('" "')),
    "null and a missing key are null": Case(one("string", required=True), jsonl=bad("required", "null", None)),
    "empty text is a value": Case(
        one("string", required=True, minLength=1),
        jsonl=bad("minLength", '""'),
        parquet=bad("minLength", ""),
        says={"required": "0 of 1, 0 null: passed", "minLength": "1 of 1, 0 null: failed"},
    ),
    "empty text is not a number": Case(one("integer"), jsonl=bad("logicalType", '""')),
    "a blank is a value": Case(
        one("string", required=True, minLength=1, quality=[figure("notBlank", mustBe=0)]),
        good("a", "a b") + bad("notBlank", " ", "\t", "\u00a0 ", "\u3000"),
        says={"required": "0 of 6, 0 null: passed"},
    ),
    "a blank is not a number": Case(
        one("integer"), csv=bad("logicalType", " ", '" "'), jsonl=bad("logicalType", '" "')
    ),
    "null words are null": Case(
        one("integer", required=True),
        csv=bad("required", "", "NA", '"NA"', "-") + bad("logicalType", "na", "NA ", "N/A"),
        csv_block=WORDS,
    ),
    "null words are null in text": Case(
        one("string", required=True), csv=bad("required", "NA", "-") + good("na", "--", "NA.", " "), csv_block=WORDS
    ),
    "blanks around a cell do not count": Case(
        one("integer", required=True),
        csv=good(" 7", "7 ", '" 7\t"', "\u00a07\u202f", "\u30007")
        + bad("required", "", " ", '" "', " NA")
        + bad("logicalType", "1 0", "x "),
        values_block=TRIMMED,
    ),
    "blanks around a text do not count": Case(
        one("string", maxLength=2, enum=values("ab", "c d")),
        csv=good(" ab", '"ab "', "\tab", None, " ")
        + bad("maxLength", '" c d "')
        + bad("enum", "a", " b ")
        + bad("maxLength enum", " a  b "),
        values_block=TRIMMED,
    ),
    "missing values are compared without blanks around": Case(
        one("string", quality=[{"metric": "missingValues", "arguments": {"missingValues": ["x"]}, "mustBe": 0}]),
        csv=bad("missingValues", "x", " x ") + good("X", "x x"),
        values_block=TRIMMED,
    ),
    "null words of one column": Case(
        {"v": {"logicalType": "integer"}, "w": {"logicalType": "string", "required": True}},
        csv=good(("-9", "-9"), ("-", "-"), ("1", ""))
        + bad("logicalType", ("", "a"), ("NA", "a"))
        + bad("w.required", ("1", "NA")),
        values_block={"columns": {"@v": {"nullValues": ["-9", "-"]}, "@w": {"nullValues": ["NA"]}}},
    ),
    "without null words nothing is null": Case(
        one("string", required=True, minLength=1), csv=bad("minLength", "", '""'), csv_block={"nullValues": []}
    ),
    "other words are texts": Case(one("string", required=True), good("null", "NULL", "None", "NA", "nil", "-", "\\N")),
    "other words are not numbers": Case(
        one("integer"),
        csv=bad("logicalType", "null", "None", "NA", "-"),
        jsonl=bad("logicalType", '"null"', '"None"') + bad("record.object", "None", "NULL"),
    ),
    "missing values are texts as written": Case(
        one(
            "integer",
            quality=[{"metric": "missingValues", "arguments": {"missingValues": [None, "-999", "x"]}, "mustBe": 0}],
        ),
        good("0", "999") + bad("missingValues", "-999", None),
        csv=good("-0999") + bad("logicalType missingValues", "x") + bad("logicalType", "X"),
        jsonl=bad("logicalType missingValues", '"x"', '"-999"') + bad("logicalType", '"-0999"'),
    ),
    "missing numbers of JSON and Parquet are values": Case(
        one(
            "number",
            quality=[{"metric": "missingValues", "arguments": {"missingValues": ["-999", "1.50", "1e3"]}, "mustBe": 0}],
        ),
        good("-998", "1.05"),
        csv=bad("missingValues", "-999", "1.50", "1e3") + good("-999.0", "1.5", "1000"),
        jsonl=bad("missingValues", "-999", "-999.0", "1.5", "1.500", "1000", "1E3"),
        parquet=bad("missingValues", "-999", "1.5", "1000"),
    ),
}
EMPTY_FILE: dict[str, Meaning] = {
    "without a record nothing is evaluated": Case(
        one("integer", required=True, unique=True, minimum=1, quality=[figure("mean", mustBeGreaterThan=0)]),
        [],
        says=dict.fromkeys(("required", "unique", "minimum", "logicalType", "mean"), "no-rows: not_evaluated"),
    ),
    "without a record rowCount is 0": Case(
        one("integer", required=True),
        [],
        quality=[{"metric": "rowCount", "mustBe": 0, "id": "@id"}],
        says={"@id": "0 of 0, 0 null: passed"},
    ),
    "without a record a query is not run": Case(
        one("integer"),
        [],
        quality=[
            {
                "id": "@id",
                "type": "sql",
                "query": "select count(*) from data where @v > 0",
                "mustBe": 0,
                "description": '["count", "@v > 0", "@v"]',
            }
        ],
        says={"@id": "no-rows: not_evaluated"},
    ),
    "only malformed records are like no records": Case(
        one("integer", required=True),
        csv=bad("record.fields", "1,2", "3,4"),
        quality=[{"metric": "rowCount", "mustBe": 2, "id": "@id"}],
        says={"required": "no-rows: not_evaluated", "@id": "0 of 2, 0 null: passed"},
    ),
}
ALL_NULL: dict[str, Meaning] = {
    "all null: rules about values hold": Case(
        one("integer", minimum=1, unique=True, enum=values(1)),
        good(None, None, None),
        says=dict.fromkeys(("logicalType", "minimum", "enum", "unique"), "0 of 3, 3 null: passed"),
    ),
    "all null: required fails in each record": Case(
        one("string", required=True),
        bad("required", None, None),
        says={"required": "2 of 2, 0 null: failed"},
    ),
    "all null: there is no figure": Case(
        one(
            "number",
            quality=[
                *(figure(kind, mustBeLessThan=1) for kind in ("mean", "stdev", "min", "max", "sum")),
                {**figure("quantile", mustBeLessThan=1, quantile=0.5), "id": "@id"},
            ],
        ),
        good(None, None),
        says=dict.fromkeys(("mean", "stdev", "min", "max", "sum", "@id"), "no-values: not_evaluated"),
    ),
    "all null: percent of nulls is 100": Case(
        one("string", quality=[{"metric": "nullValues", "mustBe": 100, "unit": "percent"}]),
        good(None, None, None),
        says={"nullValues": "3 of 3, 0 null: passed"},
    ),
    "no value of the type is like all null": Case(
        one("number", quality=[figure("mean", mustBeLessThan=1)]),
        csv=bad("logicalType", "x", "y"),
        jsonl=bad("logicalType", '"x"', "[]"),
        parquet=bad("logicalType", "nan", "inf"),
        says={"mean": "no-values: not_evaluated", "logicalType": "2 of 2, 0 null: failed"},
    ),
}
REPEATED: dict[str, Meaning] = {
    "unique: nulls never repeat": Case(
        one("string", unique=True), good("a", None, None), says={"unique": "0 of 3, 2 null: passed"}
    ),
    "unique: every record of a value counts": Case(
        one("string", unique=True),
        good("a", "b", "a", "a", None),
        says={"unique": "3 of 5, 1 null: failed"},
    ),
    "unique: values of another type never repeat": Case(
        one("integer", unique=True),
        csv=bad("logicalType", "x", "x") + good("1"),
        jsonl=bad("logicalType", '"x"', '"x"') + good("1"),
        says={"unique": "0 of 3, 2 null: passed"},
    ),
    "duplicateValues: one null is enough": Case(
        {"v": {"logicalType": "string"}, "w": {"logicalType": "integer"}},
        good(("a", "1"), ("a", "1"), ("a", None), ("a", None), (None, None), (None, None), ("b", "1")),
        quality=[BOTH],
        says={"@id": "2 of 7, 4 null: failed"},
    ),
    "primaryKey: a null in any part fails": Case(
        KEY,
        good(("a", "1"), ("a", "2"), ("a", None), (None, "1"), (None, None)),
        says={"primaryKey": "3 of 5, 0 null: failed"},
    ),
}
