"""`expect_table_schema_to_match_data_contract_schema`: an expectation for any suite, and suites that have it.

    from infra.gx.schema import ExpectTableSchemaToMatchDataContractSchema, suites

A batch and the name of a contract in; the result of the comparison of fields and types out. It runs on pandas and on
Spark. Only importers of this module need Great Expectations.
"""

from __future__ import annotations

from typing import Any, ClassVar

import great_expectations as gx
from great_expectations.compatibility.pydantic import Field
from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.execution_engine import PandasExecutionEngine, SparkDFExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation, render_suite_parameter_string
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from great_expectations.render import RenderedStringTemplateContent
from great_expectations.render.components import LegacyRendererType
from great_expectations.render.renderer.renderer import renderer
from great_expectations.render.renderer_configuration import RendererValueType

from contracts.authoring.store import LATEST, of_version, published_versions
from infra.gx import shapes
from infra.gx.contract_shape import Shape, fields_of, mismatches
from infra.gx.store import opened

SHAPE = "table.contracted_shape"
ASKED = ("data_product", "table_name", "version", "contract_store")
ALIASES = {"contract_version": "version"}
SAYS = "Must have all fields of $data_product/$table_name, version $version, with their types; it may have more."


Arguments = dict[str, Any]


class TableShape(TableMetricProvider):
    """The fields of a table with their types, also nested."""

    metric_name = SHAPE

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(cls, execution_engine: Any, metric_domain_kwargs: Any, **_: Any) -> dict[str, Shape]:
        frame, *_rest = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE)
        return shapes.of_pandas(frame)

    @metric_value(engine=SparkDFExecutionEngine)
    def _spark(cls, execution_engine: Any, metric_domain_kwargs: Any, **_: Any) -> dict[str, Shape]:
        frame, *_rest = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE)
        return shapes.of_spark(frame.schema.jsonValue())


class ExpectTableSchemaToMatchDataContractSchema(BatchExpectation):
    """Expect the table to have every field that its data contract promises, with its type; it may have others.

    `data_product` is the contract's id, `table_name` the name of its schema object; `version` a published version, or
    `latest`; `contract_store` a folder of contracts, or a catalog zone as `s3://bucket/catalog/`. A contract that
    cannot be read is an error, never a success.
    """

    data_product: str
    table_name: str
    contract_version: str = Field(LATEST, alias="version")  # in Python, as the library has a `version` of its own
    contract_store: str

    metric_dependencies: ClassVar[tuple[str, ...]] = (SHAPE,)
    success_keys: ClassVar[tuple[str, ...]] = ASKED
    args_keys: ClassVar[tuple[str, ...]] = ASKED

    def dict(self, **how: Any) -> Arguments:
        """Return the arguments by the names that a suite uses."""
        return {ALIASES.get(name, name): value for name, value in super().dict(**how).items()}

    def _validate(self, metrics: Arguments, *_: Any, **__: Any) -> Arguments:
        store = opened(self.contract_store)
        title = store.title(self.data_product, self.table_name, self.contract_version)
        properties = store.properties(title)
        wrong = list(mismatches(properties, metrics[SHAPE]))
        promised = fields_of(properties)
        seen = f"{len(wrong)} of {promised} contracted fields missing or of another type"
        details = {"contract": f"{title.id}/{title.table}", "version": title.version, "messages": wrong}
        return {"success": not wrong, "result": {"observed_value": seen, "details": details}}

    @classmethod
    def _prescriptive_template(cls, renderer_configuration: Any) -> Any:
        """Return the expectation in words, for renderers of single parts."""
        for name in ASKED[:3]:
            renderer_configuration.add_param(name=name, param_type=RendererValueType.STRING)
        renderer_configuration.template_str = SAYS
        return renderer_configuration

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    @render_suite_parameter_string
    def _prescriptive_renderer(
        cls, configuration: Any = None, runtime_configuration: Any = None, **_: Any
    ) -> list[Any]:
        """Return the expectation in words, for Data Docs."""
        asked = {"version": LATEST} | (dict(configuration.kwargs) if configuration else {})
        return [_sentence(SAYS, {name: asked.get(name) for name in ASKED[:3]}, runtime_configuration)]

    @classmethod
    @renderer(renderer_type=f"{LegacyRendererType.DIAGNOSTIC.value}.unexpected_statement")
    def _diagnostic_unexpected_statement_renderer(
        cls, result: Any = None, runtime_configuration: Any = None, **_: Any
    ) -> list[Any]:
        """Return the faults, one sentence per field, for Data Docs."""
        messages = ((result.result or {}).get("details") or {}).get("messages") or [] if result else []
        return [_sentence("$said", {"said": one}, runtime_configuration) for one in messages]


def _sentence(template: str, params: dict[str, Any], runtime: Any) -> Any:
    styling = (runtime or {}).get("styling")
    text = {"template": template, "params": params} | ({"styling": styling} if styling else {})
    return RenderedStringTemplateContent(content_block_type="string_template", string_template=text)


def suites(contract_store: str, version: str = LATEST, *, critical: bool = True) -> list[gx.ExpectationSuite]:
    """Return a suite for each table that has a contract in the store.

    `critical` goes into its meta, for the runner: a failure ends the run, or is only reported. With a version, only
    tables that have that version get a suite.
    """
    store = opened(contract_store)
    tables = sorted({(t.id, t.table) for t in store.titles})
    chosen_titles = (
        (product, table, of_version(published_versions(store.titles, f"{product}/{table}"), version))
        for product, table in tables
    )
    return [
        gx.ExpectationSuite(
            name=f"{product}.data_contract_schema.{table}",
            meta={"critical": critical, "contract": title.contract, "great_expectations_version": gx.__version__},
            expectations=[
                ExpectTableSchemaToMatchDataContractSchema(
                    data_product=product, table_name=table, version=version, contract_store=contract_store
                )
            ],
        )
        for product, table, title in chosen_titles
        if title
    ]
