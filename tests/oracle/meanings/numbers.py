"""Integers, numbers and booleans: how they are written, what they are held against and what is made of all of them."""

from __future__ import annotations

from typing import Any

from tests.oracle.meanings.case import Case, Meaning, Refused, bad, figure, good, one, values

LONGEST, SHORTEST = str(2**63 - 1), str(-(2**63))


def _nulls(**threshold: Any) -> list[dict[str, Any]]:
    return [{"metric": "nullValues", **threshold}]


NOT_A_NUMBER: dict[str, Meaning] = {
    "NaN and infinity are not numbers": Case(
        one("number"),
        good("1.5"),
        csv=bad("logicalType", "NaN", "nan", "inf", "Infinity", "-inf", "+Infinity"),
        jsonl=bad("record.object", "NaN", "Infinity", "-Infinity") + bad("logicalType", '"NaN"', '"inf"'),
        parquet=bad("logicalType", "nan", "inf", "-inf"),
    ),
    "NaN and infinity are in no figure": Case(
        one("number", unique=True, quality=[figure("sum", mustBe=3), figure("max", mustBe=2)]),
        good("1", "2"),
        csv=bad("logicalType", "NaN", "inf"),
        jsonl=bad("logicalType", '"NaN"', '"inf"'),
        xml=bad("logicalType", "NaN", "INF"),
        parquet=bad("logicalType", "nan", "nan"),
        says={"sum": "3: passed", "max": "2: passed", "unique": "0 of 4, 2 null: passed"},
    ),
}
SIGNS: dict[str, Meaning] = {
    "leading zeros and plus do not change an integer": Case(
        one("integer", unique=True), csv=good("7", "007", "+7", "+0007"), says={"unique": "4 of 4, 0 null: failed"}
    ),
    "leading zeros and plus do not change a number": Case(
        one("number", unique=True), csv=good("7.5", "007.5", "+7.5"), says={"unique": "3 of 3, 0 null: failed"}
    ),
    "JSON has no leading zeros": Case(
        one("integer"), jsonl=bad("record.object", "007", "+7", "-07") + bad("logicalType", '"007"', '"+7"')
    ),
    "minus zero is zero": Case(
        one("number", unique=True, minimum=0), good("0", "-0", "-0.0"), says={"unique": "3 of 3, 0 null: failed"}
    ),
    "minus zero is zero for integers": Case(one("integer", unique=True, enum=values(0)), good("0", "-0")),
    "zeros of a text are characters": Case(
        one("string", unique=True, maxLength=3), good("7", "007", "+7"), says={"unique": "0 of 3, 0 null: passed"}
    ),
    "a sign without digits is not a number": Case(
        one("number"),
        good("-1"),
        csv=bad("logicalType", "+", "-", "--1", "+-1", "1-"),
        jsonl=bad("record.object", "-", "--1"),
    ),
}
MARKS: dict[str, Meaning] = {
    "thousands have no mark": Case(
        one("number"),
        csv=bad("logicalType", '"1,000"', "1 000", "1'000", "1_000", "1.000.000", "1\u00a0000"),
        jsonl=bad("logicalType", '"1,000"', '"1 000"') + bad("record.object", "1_000", "1 000"),
    ),
    "the decimal mark is a point": Case(
        one("number", minimum=1, maximum=2),
        good("1.5"),
        csv=bad("logicalType", '"1,5"', "1\u066b5"),
        jsonl=bad("logicalType", '"1,5"'),
    ),
    "1.000 is one": Case(one("number", enum=values(1)), good("1.000", "1")),
    "the point may be at an end": Case(
        one("number", enum=values(5, 0.5)),
        good("0.5"),
        csv=good("5.", ".5", "+.5") + bad("logicalType", "."),
        jsonl=bad("record.object", "5.", ".5"),
    ),
    "currencies, percent and units are not numbers": Case(
        one("number"), csv=bad("logicalType", "$1", "1%", "1 €", "1kg", "1d", "1f", "1L", "0x1F", "0x1p3", "(1)")
    ),
    "digits are those of ASCII": Case(
        one("integer"),
        csv=bad("logicalType", "\uff17", "\u0667", "\u00bd", "\u2212" + "7"),
        jsonl=bad("record.object", "\uff17") + bad("logicalType", '"\uff17"'),
    ),
}
GERMAN = {"decimalChar": ",", "groupChar": ".", "trueValues": ["J", "ja"], "falseValues": ["N", "0"]}
LEDGER = {
    "groupChar": "'",
    "prefixes": ["$", "US$ "],
    "suffixes": [" kg", " CR"],
    "percent": "keep",
    "negatives": ["trailing", "brackets", "typographic"],
}
FORMED: dict[str, Meaning] = {
    "a decimal comma stands before fractions": Case(
        one("number", minimum=-2, enum=values(1.5, -2, 0.25, 1000, 1)),
        csv=good('"1,5"', '"1,50"', "-2", '"-2,0"', '",25"', '"0,25"', '"1e3"', '"1,0E3"', "1")
        + bad("enum", '"2,5"')
        + bad("minimum enum", '"-2,5"')
        + bad("logicalType", "1.5", '"1,2,3"', '","', '" 1,5"'),
        values_block=GERMAN,
    ),
    "groups are of three digits": Case(
        one("number", unique=True),
        csv=good('"1.234,5"', '"1234,5"', "12.345.678", "999")
        + bad("logicalType", "1.23", "1234.567", "0.123", "1.2345")
        + bad("logicalType", ".123", "1.234.56", "1..234", "1.234E2"),
        says={"unique": "2 of 12, 8 null: failed"},
        values_block=GERMAN,
    ),
    "an integer may have groups": Case(
        one("integer", maximum=2000),
        csv=good("1.234", "-1.234", "2000") + bad("maximum", "2.001") + bad("logicalType", "1.5", '"1,0"', "0.001"),
        values_block=GERMAN,
    ),
    "an exact number keeps its digits behind other marks": Case(
        one("number", physicalType="decimal(6,2)", multipleOf=0.05),
        csv=good('"1.234,55"', '"0,1"', '"9.999,95"')
        + bad("multipleOf", '"1,01"')
        + bad("logicalType", '"10.000,00"', '"1,001"', '"1e3"'),
        values_block=GERMAN,
    ),
    "bounds are in the contract's own form": Case(
        one("number", minimum=1234.5, maximum=1234.5),
        csv=good('"1.234,50"') + bad("minimum", '"1,2345"'),
        values_block=GERMAN,
    ),
    "text is not a number of any form": Case(
        one("string", maxLength=4), csv=good('"1,50"', "J") + bad("maxLength", "1.500"), values_block=GERMAN
    ),
    "a boolean is one of the agreed words": Case(
        one("boolean", enum=[{"value": True}]),
        csv=good("J", "ja", '"J"', "")
        + bad("enum", "N", "0")
        + bad("logicalType", "j", "JA", "true", "false", "1", " J"),
        values_block=GERMAN,
    ),
    "currency and unit may stand beside a number": Case(
        one("number", maximum=10),
        csv=good("$5", "-$5", "$-5", "US$ 5", "5 kg", "$5 CR", "5")
        + bad("maximum", "$1'000.5 kg")
        + bad("logicalType", "$ 5", "5kg", "$", "5 kg kg", "$$5", "5$", "kg"),
        values_block=LEDGER,
    ),
    "a negative number in other ways": Case(
        one("number", maximum=-1),
        csv=good("5-", "(5)", "$(5)", "($5)", "5- CR", "5 CR-", "\u22125", "-5")
        + bad("maximum", "5", "+5", "5+")
        + bad("logicalType", "(-5)", "(5", "5)", "-5-", "--5", "- 5", "()", "-(5)"),
        values_block=LEDGER,
    ),
    "a percent sign that is kept": Case(
        one("number", maximum=50),
        csv=good("50%", "50 %", "50\u00a0%", "50") + bad("maximum", "51%") + bad("logicalType", "50  %", "%", "50%%"),
        values_block=LEDGER,
    ),
    "percent as hundredths, and decimals that are implied": Case(
        {
            "v": {"logicalType": "number", "logicalTypeOptions": {"maximum": 0.5}},
            "w": {"logicalType": "number", "physicalType": "decimal(10,2)", "logicalTypeOptions": {"maximum": 12.5}},
        },
        csv=good(("50%", "1250"), ("12.5 %", "-0001250"), ("-100%", "5"), ("0%", "0"))
        + bad("maximum w.maximum", ("50.1%", "1251"))
        + bad("logicalType w.logicalType", ("50", "12.50"), ("0.5", "1e2")),
        values_block={"columns": {"@v": {"percent": "divide"}, "@w": {"decimals": 2}}},
    ),
    "texts of JSON may be numbers": Case(
        one("number", minimum=-2, maximum=1234.5),
        jsonl=good('"1,5"', '"1.234,5"', '"1234,50"', "1.234", "1234.5", "-2", "1e3")
        + bad("minimum", '"-2,5"', "-2.5")
        + bad("maximum", '"1.234,51"', "1234.51")
        + bad("logicalType", '"1.5"', '"1.23"', '"x"', "true", '""', '" 1"', "[1]"),
        values_block=GERMAN,
    ),
    "texts of JSON may be whole numbers": Case(
        one("integer", unique=True),
        jsonl=good('"1.234"', "1234", '"5"', "6") + bad("logicalType", '"1,0"', "1.0", '"1.23"', "true"),
        values_block=GERMAN,
        says={"unique": "2 of 8, 4 null: failed"},
    ),
    "texts of JSON may be numbers as a contract writes them": Case(
        one("number", physicalType="decimal(6,2)", maximum=12.5),
        jsonl=good('"12.50"', "12.5", '"-1"') + bad("maximum", '"12.51"') + bad("logicalType", '"1,5"', '"1.001"'),
        values_block={"columns": {"@v": {"decimalChar": "."}}},
    ),
    "whole numbers of JSON may have decimals that are implied": Case(
        {
            "v": {"logicalType": "number", "physicalType": "decimal(10,2)", "logicalTypeOptions": {"maximum": 12.5}},
            "w": {"logicalType": "number", "logicalTypeOptions": {"maximum": 0.5}},
        },
        jsonl=good(("1250", '"50%"'), ('"1250"', '"-1 %"'), ("-5", "null"))
        + bad("maximum w.maximum", ("1251", '"51%"'))
        + bad("logicalType w.logicalType", ("12.5", "50"), ('"12.50"', "0.5"), ("1e2", '"0.5"'), ("1250.0", "5")),
        values_block={"columns": {"@v": {"decimals": 2}, "@w": {"percent": "divide"}}},
    ),
    "texts and numbers of JSON may be booleans": Case(
        one("boolean", enum=[{"value": True}]),
        jsonl=good('"J"', '"1"', "1", "true", "null")
        + bad("enum", '"N"', "0", "false")
        + bad("logicalType", '"true"', '"j"', "2", "1.0", '""'),
        values_block={"trueValues": ["J", "1"], "falseValues": ["N", "0"]},
    ),
    "words of JSON may be null": Case(
        {
            "v": {"logicalType": "integer", "required": True, "logicalTypeOptions": {"minimum": 0}},
            "w": {"logicalType": "string", "logicalTypeOptions": {"maxLength": 2}},
        },
        jsonl=good(("5", '" ab\\t"'), ('" 5 "', '"- "'), ('"7"', '"\\u00a0c"'))
        + bad("required", ("-999", '"a"'), ('"-999"', '"a"'), ('" - "', '"a"'), (None, '"a"'))
        + bad("minimum", ("-998", '"a"'))
        + bad("w.maxLength", ("1", '"abc"')),
        values_block={"trim": True, "nullValues": ["-", "-999"]},
    ),
}
EXPONENT: dict[str, Meaning] = {
    "a number may have an exponent": Case(
        one("number", unique=True), good("1000", "1e3", "1E+3", "1.0e3"), says={"unique": "4 of 4, 0 null: failed"}
    ),
    "an exponent needs digits": Case(
        one("number"),
        good("1e1"),
        csv=bad("logicalType", "1e", "e5", "1e1.5", "1e+"),
        jsonl=bad("record.object", "1e", "1e+"),
    ),
    "an integer has no exponent": Case(
        one("integer"), csv=bad("logicalType", "1e3", "1E0"), jsonl=bad("logicalType", "1e3", "1E0")
    ),
    "an exact number has no exponent": Case(
        one("number", physicalType="decimal(10,2)"),
        good("1000"),
        csv=bad("logicalType", "1e3"),
        jsonl=bad("logicalType", "1e3"),
    ),
}
WHOLE: dict[str, Meaning] = {
    "1.0 is not an integer": Case(
        one("integer"), csv=bad("logicalType", "1.0", "1.", "1.5"), jsonl=bad("logicalType", "1.0", "1.5")
    ),
    "in JSON and Parquet an integer is a number": Case(
        one("integer"), good("1", "-1"), jsonl=bad("logicalType", '"1"', "true", "[1]")
    ),
    "1.0 is a number and equals 1": Case(
        one("number", unique=True), good("1", "1.0"), says={"unique": "2 of 2, 0 null: failed"}
    ),
}
OVERFLOW: dict[str, Meaning] = {
    "an integer has 64 bits": Case(
        one("integer", unique=True),
        good(LONGEST, SHORTEST),
        csv=bad("logicalType", str(2**63), str(-(2**63) - 1), "9" * 40),
        jsonl=bad("logicalType", str(2**63), "9" * 40),
    ),
    "an integer of fewer bits keeps its value": Case(
        one("integer", format="i8", minimum=0),
        good("127") + bad("format", "128") + bad("format minimum", "-129") + bad("minimum", "-128"),
    ),
    "each width ends with its bits": Case(
        {
            name: {"logicalType": "integer", "logicalTypeOptions": {"format": width}}
            for name, width in (("v", "i16"), ("w", "u8"), ("x", "u32"))
        },
        good(("32767", "255", "4294967295"), ("-32768", "0", "0"))
        + bad("format w.format x.format", ("32768", "256", "4294967296"), ("-32769", "-1", "-1")),
    ),
    "u64 has 64 bits without a sign": Case(
        one("integer", format="u64"), good(str(2**64 - 1), "0") + bad("format", str(2**64), "-1")
    ),
    "a number beyond a double is not a number": Case(
        one("number"),
        good("1.7976931348623157e308"),
        csv=bad("logicalType", "1e309", "-1e400"),
        jsonl=bad("logicalType", "1e309", "-1e400"),
    ),
    "a number too small for a double is 0": Case(
        one("number", enum=values(0)), csv=good("1e-400", "-1e-400"), jsonl=good("1e-400")
    ),
    "f32 ends where it rounds to infinity": Case(
        one("number", format="f32"), good("3.4e38", "1e-300") + bad("format", "3.5e38", "1e300")
    ),
    "an exact number has limited digits": Case(
        one("number", physicalType="decimal(5,2)"),
        good("999.99", "-999.99"),
        csv=good("000999.99") + bad("logicalType", "1000", "1000.0", "0.001"),
        jsonl=bad("logicalType", "1000", "1000.0", "0.001"),
    ),
    "a sum of integers has no end": Case(
        one("integer", quality=[figure("sum", mustBeGreaterThan=1)]),
        good(LONGEST, LONGEST, "2"),
        says={"sum": "18446744073709551616: passed"},
    ),
    "integers beyond a double are compared exactly": Case(
        one("integer", unique=True, maximum=2**53),
        good(str(2**53 - 1), str(2**53)) + bad("maximum", str(2**53 + 1)),
        says={"unique": "0 of 3, 0 null: passed"},
    ),
}
BOOLEANS: dict[str, Meaning] = {
    "true and false in any case": Case(
        one("boolean", unique=True),
        csv=good("true", "TRUE", "False"),
        says={"unique": "2 of 3, 0 null: failed"},
    ),
    "no other word is a boolean": Case(
        one("boolean"),
        good("true", "false"),
        csv=bad("logicalType", "1", "0", "yes", "no", "t", "f", "on", "Y", " true", "\uff34rue"),
        jsonl=bad("logicalType", "1", "0", '"true"', '"yes"') + bad("record.object", "TRUE", "yes"),
    ),
}
BOUNDS: dict[str, Meaning] = {
    "minimum and maximum are allowed themselves": Case(
        one("integer", minimum=1, maximum=3), good("1", "2", "3") + bad("minimum", "0") + bad("maximum", "4")
    ),
    "exclusive bounds are not allowed themselves": Case(
        one("number", exclusiveMinimum=0, exclusiveMaximum=0.3),
        good("0.1", "1e-300") + bad("exclusiveMinimum", "0", "-0.0", "-1") + bad("exclusiveMaximum", "0.3", "0.30"),
    ),
    "bounds of dates are days": Case(
        one("date", minimum="2024-02-28", exclusiveMaximum="2024-03-01"),
        good("2024-02-28", "2024-02-29") + bad("exclusiveMaximum", "2024-03-01") + bad("minimum", "2024-02-27"),
    ),
    "mustBeBetween leaves out its first": Case(
        one("integer", quality=_nulls(mustBeBetween=[1, 3])),
        good("1", None),
        says={"nullValues": "1 of 2, 0 null: failed"},
    ),
    "mustBeBetween takes values between": Case(
        one("integer", quality=_nulls(mustBeBetween=[1, 3])),
        good("1", None, None),
        says={"nullValues": "2 of 3, 0 null: passed"},
    ),
    "mustBeBetween leaves out its second": Case(
        one("integer", quality=_nulls(mustBeBetween=[1, 3])),
        good(None, None, None),
        says={"nullValues": "3 of 3, 0 null: failed"},
    ),
    "mustNotBeBetween takes both ends": Case(
        one("integer", quality=_nulls(mustNotBeBetween=[1, 3])),
        good("1", None),
        says={"nullValues": "1 of 2, 0 null: passed"},
    ),
    "mustBeBetween of a figure": Case(
        one("number", quality=[figure("mean", mustBeBetween=[1, 2]), figure("max", mustBeBetween=[1, 2.5])]),
        good("0", "2"),
        says={"mean": "1: failed", "max": "2: passed"},
    ),
    "bounds that no value fits are refused": Refused(one("integer", minimum=3, maximum=2)["v"], "bounds-crossed"),
}
PERCENT: dict[str, Meaning] = {
    "percent is of evaluated records with nulls": Case(
        one(
            "string",
            quality=[
                {
                    "metric": "invalidValues",
                    "arguments": {"validValues": ["a"]},
                    "mustBeLessOrEqualTo": 25,
                    "unit": "percent",
                }
            ],
        ),
        good("a", "b", None, None),
        says={"invalidValues": "1 of 4, 2 null: passed"},
    ),
    "percent leaves out malformed records": Case(
        one("string", quality=_nulls(mustBeLessThan=50, unit="percent")),
        csv=good("a", "") + bad("record.fields", "a,b", "c,d"),
        jsonl=good('"a"', "null") + bad("record.object", "}", "]"),
        says={"nullValues": "1 of 2, 0 null: failed"},
    ),
    "percent includes rejected records": Case(
        one("integer", minimum=1, quality=_nulls(mustBeLessOrEqualTo=25, unit="percent")),
        good("1", None) + bad("minimum", "0", "-1"),
        says={"nullValues": "1 of 4, 0 null: passed"},
    ),
    "percent is of the filtered records": Case(
        one(
            "string",
            quality=[
                {
                    "metric": "nullValues",
                    "mustBeLessThan": 50,
                    "unit": "percent",
                    "arguments": {"filter": "@w > 1"},
                }
            ],
        )
        | {"w": {"logicalType": "integer"}},
        good(("a", "1"), ("b", "1"), ("c", "2"), (None, "2"), (None, None)),
        says={"nullValues": "1 of 2, 0 null: failed"},
    ),
}
ROUNDING: dict[str, Meaning] = {
    "too many digits are not rounded": Case(
        one("number", physicalType="decimal(5,2)"), csv=bad("logicalType", "1.125"), jsonl=bad("logicalType", "1.125")
    ),
    "percentages are not rounded": Case(
        one(
            "string",
            quality=[
                {"metric": "nullValues", "mustBeLessOrEqualTo": 33.3, "unit": "percent", "id": "@low"},
                {"metric": "nullValues", "mustBeLessOrEqualTo": 33.4, "unit": "percent", "id": "@high"},
            ],
        ),
        good("a", "b", None),
        says={"@low": "1 of 3, 0 null: failed", "@high": "1 of 3, 0 null: passed"},
    ),
    "a mean has 50 digits": Case(
        one(
            "integer",
            quality=[
                {"id": "@low", **figure("mean", mustBeGreaterThan=1.6666666666666666)},
                {"id": "@high", **figure("mean", mustBeLessThan=1.6666666666666667)},
            ],
        ),
        good("1", "2", "2"),
        says={"@low": "1.6666666666667: passed", "@high": "1.6666666666667: passed"},
    ),
    "figures include rejected records": Case(
        one("number", minimum=0, quality=[figure("min", mustBe=-5), figure("mean", mustBe=1)]),
        good("7", "1", None) + bad("minimum", "-5"),
        says={"min": "-5: passed", "mean": "1: passed"},
    ),
    "a quantile is a value of the file": Case(
        one("integer", quality=[{"id": "@id", **figure("quantile", quantile=0.5, mustBe=2)}]),
        good("4", "1", "2", "3", None),
        says={"@id": "2: passed"},
    ),
    "a sum of tenths is exact": Case(
        one("number", quality=[figure("sum", mustBe=0.3), figure("mean", mustBe=0.1)]),
        good("0.1", "0.1", "0.1"),
        says={"sum": "0.3: passed", "mean": "0.1: passed"},
    ),
}
DECIMALS: dict[str, Meaning] = {
    "a number is compared as a double": Case(
        one("number", maximum=0.3, unique=True),
        good("0.3", "0.30", "0.30000000000000000001"),
        says={"unique": "3 of 3, 0 null: failed"},
    ),
    "a decimal is compared exactly": Case(
        one("number", physicalType="decimal(30,25)", maximum=0.3, unique=True),
        good("0.3", "0.30") + bad("maximum", "0.30000000000000000001"),
        says={"unique": "2 of 3, 0 null: failed"},
    ),
    "digits of a decimal are those written": Case(
        one("number", physicalType="decimal(5,1)"),
        good("1.5"),
        csv=bad("logicalType", "1.50", "1.00"),
        jsonl=good("1.50", "1.00") + bad("logicalType", "1.55", "0.30000000000000000001"),
    ),
    "multipleOf is exact": Case(
        one("number", multipleOf=0.01), good("0.07", "0.29", "-1.1", "0") + bad("multipleOf", "0.075", "0.001")
    ),
    "a bound of integers is an integer": Refused(one("integer", minimum=0.5)["v"], "wrong-type"),
}
STDEV: dict[str, Meaning] = {
    "one value has no stdev": Case(
        one("number", quality=[figure("stdev", mustBeLessThan=1)]),
        good("5"),
        says={"stdev": "too-few-values: not_evaluated"},
    ),
    "stdev does not count nulls": Case(
        one("number", quality=[figure("stdev", mustBeLessThan=1)]),
        good("5", None, None),
        says={"stdev": "too-few-values: not_evaluated"},
    ),
    "stdev of equal values is 0": Case(
        one("number", quality=[figure("stdev", mustBe=0)]), good("0.1", "0.1", None), says={"stdev": "0: passed"}
    ),
    "stdev is that of a sample": Case(
        one("integer", quality=[figure("stdev", mustBeBetween=[1.41, 1.42])]),
        good("1", "3"),
        says={"stdev": "1.4142135623731: passed"},
    ),
}
