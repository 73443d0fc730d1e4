"""Cases of bad input by section of docs/reference/bad-input.md, which is made from them and from the flow's answers."""

from __future__ import annotations

from tests.e2e import cases, fixed_cases, json_cases, packed_cases, parquet_cases, sheet_cases, text_cases, xml_cases

COMMON = "Any file, and CSV in UTF-8 with commas"
"""The section that `make test` sends whole."""
SECTIONS = {
    COMMON: cases.CASES,
    "CSV of other dialects": text_cases.CASES,
    "Packed files and archives": packed_cases.CASES,
    "Workbooks": sheet_cases.CASES,
    "JSON documents": json_cases.CASES,
    "Text of fixed width": fixed_cases.CASES,
    "XML": xml_cases.CASES,
    "Parquet": parquet_cases.CASES,
}
CASES = tuple(case for section in SECTIONS.values() for case in section)
