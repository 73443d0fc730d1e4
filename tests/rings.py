"""Rings of tests: the place of a test in, the ring that runs it out, for `make quick`, `make test` and `make proofs`.

What no pattern names is in `make test`, so that a new test is run by each submission until somebody moves it out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import translate
from functools import cache

QUICK = ("tests/unit/*", "tests/golden/*")
"""Tests of the inner loop, but for those that a part of the proofs names."""
SLOW = (
    "tests/unit/infra/setup/test_setup.py::*",
    "tests/unit/infra/cli/test_ends.py::*",
    "tests/unit/infra/cli/test_errors.py::*",
    "tests/unit/infra/packaging/test_bundles.py::*",
    "tests/unit/contracts/authoring/diff/test_compare_anything.py::*",
    "tests/unit/documents/test_names_in_comments.py::*",
    "tests/unit/spark_jobs/prefilter/test_arrow_tests.py::*",
    "tests/unit/spark_jobs/prefilter/test_object_tests.py::test_counts*",
    "tests/unit/spark_jobs/prefilter/test_plan_tests.py::test_re2*",
    "tests/unit/contracts/files/test_apart.py::*",
    "tests/unit/test_run.py::*",
    "tests/unit/contracts/authoring/compiler/test_impossible.py::test_more*",
    "tests/unit/contracts/authoring/exports/test_hostile_texts.py::*",
    "tests/unit/contracts/authoring/properties/test_file_formats.py::test_format_of_another*",
    "tests/unit/contracts/authoring/quality/expectations/test_expectation_types.py::*",
    "tests/unit/contracts/authoring/quality/test_thresholds.py::test_threshold_that_decides*",
    "tests/unit/documents/test_events_page.py::test_template*",
    "tests/unit/documents/test_security_page.py::test_no_text*",
    "tests/unit/functions/admission/heads/test_foreign_files.py::*",
    "tests/unit/functions/admission/heads/test_sheet_head.py::*",
    "tests/unit/functions/operations/test_erase.py::*",
    "tests/unit/infra/sampling/*",
    "tests/unit/infra/setup/test_bytecode.py::*",
    "tests/unit/spark_jobs/outputs/test_formulas.py::*",
)
"""Units that only `make test` runs."""
PROOFS: Mapping[str, tuple[str, ...]] = {
    "job": (
        "tests/integration/functions/test_masked_evidence.py::*",
        "tests/integration/infra/cli/test_init.py::*",
        "tests/integration/spark_jobs/formats/test_dialects.py::*",
        "tests/integration/spark_jobs/formats/test_dumps.py::*",
        "tests/integration/spark_jobs/formats/test_encodings.py::test_file*",
        "tests/integration/spark_jobs/formats/test_encodings.py::test_rejected*",
        "tests/integration/spark_jobs/formats/test_fixed_lines.py::test_field_in_bytes*",
        "tests/integration/spark_jobs/formats/test_fixed_lines.py::test_odd*",
        "tests/integration/spark_jobs/formats/test_fixed_lines.py::test_word*",
        "tests/integration/spark_jobs/formats/test_json_document.py::test_document_is_judged*",
        "tests/integration/spark_jobs/formats/test_json_document.py::test_members*",
        "tests/integration/spark_jobs/formats/test_json_document.py::test_packed*",
        "tests/integration/spark_jobs/formats/test_json_document.py::test_reference*",
        "tests/integration/spark_jobs/formats/test_json_document.py::test_rejected*",
        "tests/integration/spark_jobs/formats/test_letters.py::*",
        "tests/integration/spark_jobs/formats/test_names.py::test_columns*",
        "tests/integration/spark_jobs/formats/test_names.py::test_header_may*",
        "tests/integration/spark_jobs/formats/test_names.py::test_lines_may_end*",
        "tests/integration/spark_jobs/formats/test_names.py::test_lines_without*",
        "tests/integration/spark_jobs/formats/test_names.py::test_names_may*",
        "tests/integration/spark_jobs/formats/test_names.py::test_rejected_rows*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_archive_that*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_file_that_changed*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_members_are*[csv0-1*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_members_are*[csv1*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_members_without*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_packed*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_promoted*",
        "tests/integration/spark_jobs/formats/test_packed.py::test_valid*",
        "tests/integration/spark_jobs/formats/test_record_delimiters.py::test_other*",
        "tests/integration/spark_jobs/formats/test_record_delimiters.py::test_records_are_cut*",
        "tests/integration/spark_jobs/formats/test_registry.py::test_compressed_file*",
        "tests/integration/spark_jobs/formats/test_registry.py::test_file_whose_pages*",
        "tests/integration/spark_jobs/formats/test_registry.py::test_same*",
        "tests/integration/spark_jobs/formats/test_registry.py::test_unknown_keys*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_file_may_be_alone*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_files_have*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_no_tolerance*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_other*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_prefilter*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_records_of_other*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[comments*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[foot*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[form*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[leader above*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[like*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[n*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[quoted*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[sep*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[title]",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[un*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_above*[with*",
        "tests/integration/spark_jobs/formats/test_rows_around.py::test_rows_may*",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_places*[ods*",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_places*[xls]",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_promoted*",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_rejected*",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_rows_of*",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_sheet_without*",
        "tests/integration/spark_jobs/formats/test_sheets.py::test_workbook*",
        "tests/integration/spark_jobs/formats/test_trailers.py::*",
        "tests/integration/spark_jobs/formats/test_utf16.py::*",
        "tests/integration/spark_jobs/formats/test_values.py::*",
        "tests/integration/spark_jobs/formats/test_wide_encodings.py::*",
        "tests/integration/spark_jobs/formats/test_xml.py::test_documents*",
        "tests/integration/spark_jobs/formats/test_xml.py::test_evidence*",
        "tests/integration/spark_jobs/formats/test_xml.py::test_values*",
        "tests/integration/spark_jobs/outputs/test_classified.py::*[*jsonl that nests]",
        "tests/integration/spark_jobs/outputs/test_classified.py::*[*jsonl]",
        "tests/integration/spark_jobs/outputs/test_classified.py::*[*over lines]",
        "tests/integration/spark_jobs/outputs/test_classified.py::*[False-csv]",
        "tests/integration/spark_jobs/outputs/test_classified.py::test_evidence_that_is_masked*",
        "tests/integration/spark_jobs/outputs/test_rejected_rows.py::*[*backslashes]",
        "tests/integration/spark_jobs/outputs/test_rejected_rows.py::*[*bars]",
        "tests/integration/spark_jobs/outputs/test_rejected_rows.py::*[*quotes]",
        "tests/integration/spark_jobs/outputs/test_rejected_rows.py::*[*semicolons]",
        "tests/integration/spark_jobs/outputs/test_rejected_rows.py::*[*tabs]",
        "tests/integration/spark_jobs/outputs/test_rejected_rows.py::*[True-*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_bytes*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_cells*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_columns*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_file*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_json*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_parquet*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_records*",
        "tests/integration/spark_jobs/rules/test_aggregates.py::*[wide*",
        "tests/integration/spark_jobs/rules/test_casting.py::test_whole*",
        "tests/integration/spark_jobs/rules/test_expressions.py::*[jsonl]",
        "tests/integration/spark_jobs/rules/test_expressions.py::*[parquet]",
        "tests/integration/spark_jobs/rules/test_file_dates.py::test_text*[date-formats1?]",
        "tests/integration/spark_jobs/rules/test_watermarks.py::test_check_looks*",
        "tests/integration/spark_jobs/scan/test_references.py::test_filter*",
        "tests/integration/spark_jobs/scan/test_references.py::test_large*",
        "tests/integration/spark_jobs/scan/test_references.py::test_promoted*",
        "tests/integration/spark_jobs/scan/test_references.py::test_relationships*",
        "tests/integration/spark_jobs/scan/test_references.py::test_several*",
        "tests/integration/spark_jobs/scan/test_references.py::test_texts*",
        "tests/integration/spark_jobs/scan/test_references.py::test_value_within*",
        "tests/integration/spark_jobs/scan/test_references.py::test_what_cannot*",
        "tests/integration/spark_jobs/set_checks/test_statements.py::test_subqueries*",
        "tests/integration/spark_jobs/test_fast_lane.py::test_many*",
        "tests/integration/spark_jobs/test_validate.py::test_result_waits*[4*",
    ),
    "prefilter": (
        "tests/integration/spark_jobs/outputs/test_sure_evidence.py::test_batches*[rows*",
        "tests/integration/spark_jobs/outputs/test_sure_evidence.py::test_lines_with*",
        "tests/integration/spark_jobs/outputs/test_sure_evidence.py::test_more*",
        "tests/integration/spark_jobs/outputs/test_sure_evidence.py::test_worst*",
        "tests/integration/spark_jobs/outputs/test_valid_rows.py::test_consumers*",
        "tests/unit/spark_jobs/prefilter/test_arrow_tests.py::test_counts_and_masks_of_many*",
        "tests/unit/spark_jobs/prefilter/test_object_tests.py::test_counts_and_masks_of_many*",
        "tests/integration/spark_jobs/scan/test_batch.py::*",
        "tests/integration/spark_jobs/set_checks/test_great_expectations.py::*",
        "tests/integration/spark_jobs/formats/test_long_things.py::*",
        "tests/integration/spark_jobs/formats/test_parquet_forms.py::*",
        "tests/integration/spark_jobs/formats/test_quotes.py::*",
        "tests/integration/spark_jobs/prefilter/test_local_lines.py::*",
        "tests/integration/spark_jobs/scan/test_narrowing.py::test_broad*",
        "tests/integration/spark_jobs/scan/test_narrowing.py::test_drawn*[1*",
        "tests/integration/spark_jobs/scan/test_narrowing.py::test_drawn*[2*",
        "tests/integration/spark_jobs/scan/test_narrowing.py::test_drawn*[3*",
        "tests/integration/spark_jobs/scan/test_narrowing.py::test_drawn*[4*",
        "tests/integration/spark_jobs/scan/test_narrowing.py::test_drawn*[5*",
        "tests/integration/spark_jobs/prefilter/test_prefilter.py::*",
        "tests/integration/spark_jobs/prefilter/test_objects.py::test_columns*",
        "tests/integration/spark_jobs/prefilter/test_objects.py::test_lines*",
        "tests/integration/spark_jobs/prefilter/test_sifted_columns.py::*",
        "tests/integration/spark_jobs/scan/test_tasks.py::*",
    ),
    "oracle": (
        "tests/integration/spark_jobs/set_checks/test_sql_literals.py::*",
        "tests/integration/spark_jobs/set_checks/test_sql_queries.py::test_no_part*",
        "tests/integration/contracts/test_pattern_cost.py::*",
        "tests/oracle/test_changes.py::*",
        "tests/oracle/test_combinations.py::*",
        "tests/oracle/test_drafts.py::*",
        "tests/oracle/test_earlier.py::*[many]",
        "tests/oracle/test_earlier.py::test_job*",
        "tests/oracle/test_entries.py::*",
        "tests/oracle/test_exported*.py::*",
        "tests/oracle/test_faults.py::*",
        "tests/oracle/test_fuzz.py::*",
        "tests/oracle/test_meanings.py::test_job*[csv*",
        "tests/oracle/test_meanings.py::*[jsonl*",
        "tests/oracle/test_meanings.py::*[parquet*",
        "tests/oracle/test_meanings.py::*[xml*",
        "tests/oracle/test_months.py::test_draft_of_all*",
        "tests/oracle/test_months.py::test_job*",
        "tests/oracle/test_nested.py::*",
        "tests/oracle/test_oracle.py::*[csv, *",
        "tests/oracle/test_oracle.py::*[xlsx*",
        "tests/oracle/test_oracle.py::test_cases*",
        "tests/oracle/test_oracle.py::test_they_say_the_same*",
        "tests/oracle/test_promised.py::*[many]",
        "tests/oracle/test_references.py::*",
        "tests/oracle/test_round_trips.py::*",
        "tests/oracle/test_strange.py::*",
        "tests/oracle/test_survey.py::*",
        "tests/unit/contracts/authoring/compiler/test_never_a_crash.py::*",
        "tests/unit/contracts/authoring/drop_block/test_pattern_overlap.py::test_witness*",
        "tests/unit/contracts/authoring/imports/test_never_a_crash.py::*",
        "tests/unit/contracts/authoring/patterns/test_earliest.py::test_cheaper*",
        "tests/unit/contracts/authoring/sql/test_statements.py::test_any_call*",
        "tests/unit/contracts/files/xml_documents/test_xml_records.py::test_plain_records_are_read_as*",
        "tests/unit/contracts/terms/test_key_pattern.py::test_matching_agrees*",
        "tests/unit/contracts/values/test_date_overlap.py::test_every_pair*",
        "tests/unit/contracts/values/test_date_overlap.py::test_named*",
        "tests/unit/infra/sampling/test_begins.py::test_draft_of_all*",
        "tests/unit/infra/sampling/test_sampling.py::test_damaged*",
        "tests/unit/spark_jobs/outputs/test_formulas.py::test_no_reader_of_drawn*",
        "tests/unit/contracts/authoring/patterns/test_regex.py::test_large*",
        "tests/unit/contracts/values/test_text_formats.py::*agrees_with_python",
        "tests/unit/infra/sampling/test_sampling.py::test_parts_of_a_file*",
    ),
    "attacks": (
        "tests/integration/functions/test_described.py::*",
        "tests/e2e/test_bad_input.py::*[forms*",
        "tests/e2e/test_flow.py::test_new_contract*",
        "tests/e2e/test_flow.py::test_role_of_the_job*",
        "tests/e2e/test_kills.py::*",
        "tests/e2e/test_logs.py::*",
        "tests/e2e/test_promises.py::*",
        "tests/e2e/test_promoted.py::*",
        "tests/e2e/test_references.py::*",
        "tests/e2e/test_state.py::*",
        "tests/e2e/test_up.py::*",
        "tests/e2e/test_watermarks.py::*",
        "tests/integration/functions/test_doctors.py::*",
        "tests/integration/functions/test_figures.py::*",
        "tests/integration/functions/test_handlers.py::*[producer]",
        "tests/integration/functions/test_handlers.py::test_all_drops*",
        "tests/integration/functions/test_handlers.py::test_letters*",
        "tests/integration/functions/test_handlers.py::test_upload_that_died*",
        "tests/integration/functions/test_histories.py::*",
        "tests/integration/functions/test_large.py::*",
        "tests/integration/functions/test_notice_sweep.py::test_a_call*",
        "tests/integration/functions/test_outages.py::*",
        "tests/integration/functions/test_people.py::*",
        "tests/integration/functions/test_sweep.py::*",
        "tests/integration/functions/test_tables.py::*",
        "tests/integration/functions/test_troubles.py::*",
        "tests/integration/functions/test_limits.py::*",
        "tests/integration/functions/test_races.py::*",
        "tests/integration/infra/local/test_stack.py::test_events_go_on*",
        "tests/integration/infra/local/test_stack.py::test_hundredth*",
        "tests/integration/infra/local/test_stack.py::test_waiting*",
        "tests/unit/contracts/authoring/imports/test_never_a_crash.py::test_numbers*",
        "tests/unit/contracts/files/test_apart.py::test_file_that_ends_its_reader_ends*",
        "tests/unit/contracts/files/test_apart.py::test_many*",
        "tests/unit/contracts/files/test_apart.py::test_seconds*",
        "tests/unit/functions/admission/heads/test_packed_head.py::test_bomb_is_refused[bzip2]",
        "tests/unit/functions/admission/heads/test_packed_head.py::test_file_of_very_many*",
        "tests/unit/functions/doctor/test_compare.py::test_repair_broken_off*",
        "tests/unit/functions/doctor/test_compare_tables.py::test_repair_broken_off*",
        "tests/unit/functions/flow/test_crashes.py::*",
        "tests/unit/functions/flow/test_histories.py::*",
        "tests/unit/functions/flow/test_file_sets.py::test_thousands*",
        "tests/unit/functions/flow/test_splitting.py::*[500]",
        "tests/unit/functions/flow/test_splitting.py::test_three*",
        "tests/unit/functions/schedule/test_reconcile.py::*[2000]",
        "tests/unit/functions/schedule/test_reconcile.py::*[4000]",
        "tests/unit/functions/schedule/test_unannounced.py::test_lost_uploads_come_back_fast*",
    ),
    "release": (
        "tests/integration/infra/stack_admin/test_access_matrix.py::*",
        "tests/integration/infra/test_bench.py::*",
        "tests/e2e/test_client.py::*",
        "tests/integration/infra/packaging/test_built.py::*",
        "tests/integration/infra/packaging/test_client_package.py::*",
        "tests/integration/functions/costs/test_counted_calls.py::*",
        "tests/integration/functions/aws/test_delta.py::*",
        "tests/integration/functions/test_api.py::*",
        "tests/integration/functions/test_page.py::*",
        "tests/integration/functions/test_page_in_chromium.py::*",
        "tests/integration/functions/test_client.py::*",
        "tests/integration/functions/test_uploads.py::*",
        "tests/integration/infra/deployment/test_deploy.py::*",
        "tests/integration/infra/local/test_calls.py::*",
        "tests/integration/infra/local/test_indexes.py::test_queries*",
        "tests/integration/infra/gx/test_environment.py::*",
        "tests/integration/contracts/test_exported_ddl.py::*",
        "tests/integration/contracts/test_imported_inmet.py::*",
        "tests/integration/contracts/test_mesh_ports.py::*",
        "tests/integration/contracts/test_reproductions.py::*",
        "tests/integration/contracts/test_schema_cases.py::*",
        "tests/integration/infra/gx/test_schema_expectation.py::*",
        "tests/unit/documents/test_documents_page.py::test_documents_of_earlier*",
        "tests/unit/functions/costs/test_quotas.py::*",
        "tests/unit/infra/test_bench.py::*",
        "tests/unit/infra/test_template.py::test_linters*",
    ),
}
"""The parts of `make proofs`, by name: CI runs one of them after `make test`, another with each commit."""
FLOW = ("tests/e2e/*",)
"""Tests of the whole flow, which share one stack and a JVM; `make test` begins with them on one worker."""
SPARK = (
    "tests/integration/spark_jobs/*",
    "tests/integration/contracts/test_formats.py::*",
    "tests/integration/infra/cli/test_init.py::*",
    "tests/integration/contracts/test_pattern*.py::*",
    "tests/oracle/*",
)
"""Tests that share another JVM; `make test` begins with them on the other worker."""
LONG = ("tests/integration/functions/*", "tests/integration/*")
"""Where modules take long: they come next in `make test`, and units fill what is left of either worker's time."""


def part_of(test: str) -> str | None:
    """Return the part of the proofs that a test, named as pytest names it, is in; None where `make test` runs it."""
    return next((part for part, patterns in PROOFS.items() if _matches(test, patterns)), None)


def is_quick(test: str) -> bool:
    """Return whether `make quick` runs a test."""
    return part_of(test) is None and _matches(test, QUICK) and not _matches(test, SLOW)


def area_of(test: str) -> str:
    """Return the folder of tests that a test is in: `unit`, `integration/spark_jobs`, `oracle` ..."""
    folders = test.partition("::")[0].split("/")[1:-1]
    return "/".join(folders[:2] if folders[:1] == ["integration"] else folders[:1])


def scope_of(test: str, *, proofs: bool) -> str:
    """Return the name of all tests that one worker runs: a module, or in `make test` the flow or all other Spark."""
    if proofs or part_of(test):
        return test.partition("::")[0]
    shared = {"flow": FLOW, "spark": SPARK}
    return next((name for name, patterns in shared.items() if _matches(test, patterns)), test.partition("::")[0])


def turn_of(test: str) -> int:
    """Return the place of a test in the order of `make test`, in which the longest scopes come first."""
    turns = (FLOW, SPARK, *((pattern,) for pattern in LONG))
    return next((turn for turn, patterns in enumerate(turns) if _matches(test, patterns)), len(turns))


def _matches(test: str, patterns: tuple[str, ...]) -> bool:
    return _expression(patterns).match(_plain(test)) is not None


@cache
def _expression(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return one expression for all patterns: there are a million pairs of a test and a pattern."""
    return re.compile("|".join(translate(_plain(pattern)) for pattern in patterns))


def _plain(text: str) -> str:
    return text.replace("[", "(")  # in patterns of names brackets are sets of characters
