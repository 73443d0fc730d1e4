"""The job's own wall: texts that a plan of an older release, or of a stranger, may hold, and what Spark is let run."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from contracts import codec, rules
from contracts.authoring.sql import expressions, statements
from contracts.plan import DROPS, ROWS, Check, Filter, LogicalType, Plan, Property
from contracts.watermarks import TYPES, HighMark, marked
from spark_jobs.spark import sql_guard
from spark_jobs.validate import configured
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.sql import test_expressions, test_statements

PROPERTIES = "- {name: n, logicalType: integer}\n- {name: s, logicalType: string}\n"
MARK = "ran-by-a-contract"


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    made = configured(spark)
    made.range(3).selectExpr("0 as drop", "id as record", "id as v0", "'a' as v1").createOrReplaceTempView(ROWS)
    made.range(1).selectExpr("0 as drop").createOrReplaceTempView(DROPS)
    return made


HOSTILE = (
    f"SELECT TRANSFORM(v0) USING 'echo {MARK}' AS (x STRING) FROM {ROWS}",
    f"FROM {ROWS} MAP v0 USING 'echo {MARK}' AS x",
    f"SELECT * FROM (FROM {ROWS} REDUCE v0 USING 'echo {MARK}' AS x)",
    f"SELECT v0 FROM {ROWS} WHERE v0 IN (SELECT TRANSFORM(v0) USING 'echo {MARK}' AS x FROM {ROWS})",
    f"WITH a AS (SELECT TRANSFORM(v0) USING 'echo {MARK}' AS x FROM {ROWS}) SELECT * FROM a",
    "SELECT * FROM text.`/etc/hostname`",
    "SELECT * FROM csv.`/etc/hostname`",
    "SELECT * FROM json.`/etc/hostname`",
    "SELECT * FROM binaryFile.`/etc/hostname`",
    "SELECT * FROM parquet.`/etc/hostname`",
    "SELECT * FROM delta.`/etc`",
    "TABLE text.`/etc/hostname`",
    f"SELECT v0 FROM {ROWS} WHERE exists(SELECT * FROM text.`/etc/hostname`)",
    f"SELECT (SELECT max(value) FROM text.`/etc/hostname`) FROM {ROWS}",
    f"SELECT v0 FROM {ROWS} UNION SELECT * FROM text.`/etc/hostname`",
    f"SELECT v0 FROM {ROWS} r JOIN text.`/etc/hostname` t ON r.v1 = t.value",
    f"SELECT v0 FROM {ROWS}, LATERAL (SELECT * FROM text.`/etc/hostname`)",
    "SELECT * FROM spark_catalog.default.x",
    "SELECT * FROM hive.default.x",
    "SELECT * FROM default.x",
    "SELECT * FROM global_temp.x",
    "SELECT * FROM others",
    "SELECT * FROM identifier('text.`/etc/hostname`')",
    "SELECT * FROM range(1000000000000)",
    "SELECT * FROM explode(array(1))",
    "SELECT * FROM collations()",
    f"SELECT * FROM my_udtf(TABLE({ROWS}))",
    f"SELECT java_method('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT reflect('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT try_reflect('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT REFLECT('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT system.builtin.reflect('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT `reflect`('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT sum(v0) OVER (PARTITION BY reflect('java.lang.System', 'getenv', 'HOME')) FROM {ROWS}",
    f"SELECT v0 FROM {ROWS} WHERE CASE WHEN reflect('java.lang.System', 'getenv', 'HOME') = '' THEN true END",
    f"SELECT v0 FROM {ROWS} GROUP BY v0 HAVING max(reflect('java.lang.System', 'getenv', 'HOME')) = ''",
    f"SELECT v0 FROM {ROWS} ORDER BY reflect('java.lang.System', 'getenv', 'HOME')",
    f"SELECT v0 FROM {ROWS} LIMIT reflect('java.lang.System', 'getenv', 'HOME')",
    f"SELECT filter(array(1), x -> reflect('java.lang.System', 'getenv', 'HOME') = '') FROM {ROWS}",
    f"SELECT sum(v0) OVER w FROM {ROWS} WINDOW w AS (PARTITION BY reflect('java.lang.System', 'getenv', 'HOME'))",
    f"SELECT from_protobuf(v1, 'x', '/etc/passwd') FROM {ROWS}",
    f"SELECT current_user() FROM {ROWS}",
    f"SELECT input_file_name() FROM {ROWS}",
    f"SELECT xpath(v1, '/a') FROM {ROWS}",
    f"SELECT repeat('x', 2000000000) FROM {ROWS}",
    f"SELECT sequence(1, 100000000000) FROM {ROWS}",
    f"SELECT f(v0) FROM {ROWS}",
    f"SELECT identifier('reflect')('java.lang.System', 'getenv', 'HOME') FROM {ROWS}",
    f"SELECT * FROM {ROWS} VERSION AS OF 1",
    f"SELECT * FROM {ROWS} TIMESTAMP AS OF '2020-01-01'",
    f"SELECT * FROM {ROWS} TABLESAMPLE (10 PERCENT)",
    f"SELECT * FROM {ROWS} PIVOT (sum(v0) FOR v1 IN ('a', 'b'))",
    f"SELECT * FROM {ROWS} LATERAL VIEW explode(array(1)) t AS x",
    f"SELECT /*+ broadcast({ROWS}) */ * FROM {ROWS}",
    "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a) SELECT * FROM range(1)",
    "SET",
    "SET spark.sql.runSQLOnFiles = true",
    "RESET",
    "ADD JAR 'x.jar'",
    "ADD FILE '/etc/passwd'",
    "LIST JARS",
    "CREATE FUNCTION f AS 'java.lang.Runtime'",
    "CREATE TEMPORARY FUNCTION f AS 'java.lang.Runtime'",
    "CREATE TEMPORARY VIEW v USING text OPTIONS (path '/etc/hostname')",
    "CREATE TABLE t USING csv LOCATION '/etc' AS SELECT 1",
    "INSERT OVERWRITE DIRECTORY 'x' USING csv SELECT 1",
    f"CACHE TABLE {ROWS}",
    f"DROP VIEW {ROWS}",
    "LOAD DATA INPATH '/etc/passwd' INTO TABLE t",
    "USE hive",
    "SHOW FUNCTIONS",
    "DESCRIBE FUNCTION reflect",
    f"EXPLAIN SELECT * FROM {ROWS}",
    "EXECUTE IMMEDIATE 'SELECT 1'",
    "BEGIN SELECT 1; END",
    "DECLARE x INT DEFAULT 1",
    "CALL system.x()",
    "SELECT 1; SELECT 2",
    "",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_leads_out_of_the_records_is_refused(session: SparkSession, text: str) -> None:
    assert sql_guard.refusal(session, text, [ROWS, DROPS])


FINE = (
    f"SELECT * FROM {ROWS} WHERE v0 > 1 AND v1 LIKE 'a%' ORDER BY v0 DESC NULLS LAST LIMIT 5",
    f"FROM {ROWS} |> SELECT v0",
    f"WITH a AS (SELECT v0 + 1 AS x FROM {ROWS}), b AS (SELECT * FROM a) SELECT DISTINCT x FROM b b1 JOIN a USING (x)",
    f"SELECT v1, sum(v0) OVER (PARTITION BY v1 ORDER BY v0 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM {ROWS}",
    f"SELECT v1, count(*) AS n FROM {ROWS} r GROUP BY v1, v0 HAVING count(DISTINCT v0) > 1 OR max(v0) IS NULL",
    f"SELECT v0 FROM {ROWS} WHERE v0 NOT IN (SELECT v0 FROM {ROWS}) AND EXISTS (SELECT 1 FROM {DROPS})",
    f"SELECT CASE WHEN v0 BETWEEN 1 AND 2 THEN upper(v1) ELSE NULL END, v0 % 2, -v0, CAST(v0 AS STRING) FROM {ROWS}",
    f"SELECT v1 FROM {ROWS} UNION ALL SELECT v1 FROM {ROWS} WHERE datediff(date '2024-01-01', current_date()) <=> 5",
)


@pytest.mark.parametrize("text", FINE)
def test_questions_about_the_records_are_let_through(session: SparkSession, text: str) -> None:
    assert sql_guard.refusal(session, text, [ROWS, DROPS]) is None


@pytest.mark.parametrize("text", test_expressions.WRITTEN)
def test_expressions_of_contracts_are_let_through(session: SparkSession, text: str) -> None:
    written = expressions.read(text, test_expressions.PROPERTIES).sql
    assert sql_guard.refusal_of_expression(session, written) is None


QUERIES = (
    *test_statements.SINGLE,
    "select count(distinct x, n), count_if(a > 1), sum(n), avg(a), stddev(a), stddev_pop(a) from data group by x",
    "select min(d), max(ts), any_value(x), to_date(x, 'dd.MM.yyyy') from data group by x",
    "select x, max(n) over (partition by x), count(distinct n) over (partition by x) from data",
    "select cast(ts as date), cast(n as double), cast(n as string), trunc(d, 'month') from data",
    "select date_trunc('day', ts), date_add(d, 7), date_sub(d, 7), add_months(d, 1), year(d), datediff(d, d) from data",
    "select ts from data where ts > current_timestamp() - interval '1' day and d < current_date()",
    "select a.x from data a left join data b on a.n = b.n and b.a > 1 where a.x in (select x from data where n > 5)",
    "select x from data a where not exists (select 1 from data b where b.n = a.n) union select x from data",
    "with c as (select x, count(*) as k from data group by x having count(*) > 1) select x from c join data using (x)",
    "select x from data where n > (select avg(n) from data) and substring(x, 1, 2) = 'a' and trim(x) rlike 'a'",
    "select case when n > 1 then 'a' else 'b' end, if(n > 1, n, 0), nullif(n, 1), coalesce(n, 0) % 2 from data",
)


@pytest.mark.parametrize("text", QUERIES)
def test_queries_of_contracts_are_let_through(session: SparkSession, text: str) -> None:
    query = statements.read(text, test_statements.PROPERTIES, ["data"])
    assert sql_guard.refusal(session, query.sql, [ROWS, DROPS]) is None


@pytest.mark.parametrize("kind", ["integer", "number", "date", "timestamp"])
def test_quantiles_are_let_through(session: SparkSession, kind: LogicalType) -> None:
    text = statements.quantile(0, Property("n", kind), Decimal("0.95"))
    assert sql_guard.refusal(session, text, [ROWS, DROPS]) is None


@pytest.mark.parametrize("kind", TYPES)
def test_marks_are_let_through(session: SparkSession, kind: LogicalType) -> None:
    prop = Property("n", kind, exact=(10, 2)) if kind == "number" else Property("n", kind)
    check = Check("c", rules.Required(), "row", "error", "x", "x", "n", filter=Filter("true", "", (), "n"))
    plan = replace(documents.a_plan(documents.a_document(PROPERTIES, ENTRIES)), properties=(prop,), checks=(check,))
    (made,) = marked(plan, [HighMark("n", kind, Decimal(5))]).checks
    assert made.filter
    assert made.filter.sql != "true"
    assert sql_guard.refusal_of_expression(session, made.filter.sql) is None


BY_THE_SESSION = (
    "SELECT * FROM text.`/etc/hostname`",
    "SELECT * FROM csv.`/etc/hostname`",
    "SELECT * FROM hive.default.x",
    "SELECT java_method('java.lang.System', 'getenv', 'HOME')",
    "SELECT reflect('java.lang.System', 'getenv', 'HOME')",
    "SELECT try_reflect('java.lang.System', 'getenv', 'HOME')",
    "SELECT builtin.reflect('java.lang.System', 'getenv', 'HOME')",
)


@pytest.mark.parametrize("text", BY_THE_SESSION)
def test_session_refuses_by_itself_what_it_can(session: SparkSession, text: str) -> None:
    with pytest.raises(PySparkException):
        session.sql(text).collect()


def test_nothing_is_put_in_place_of_a_name(session: SparkSession) -> None:
    assert session.sql("SELECT '${env:HOME} ${spark.app.name}'").collect()[0][0] == "${env:HOME} ${spark.app.name}"


def test_no_session_has_a_catalog_of_hive(session: SparkSession) -> None:
    assert session.conf.get("spark.sql.catalogImplementation") == "in-memory"


ENTRIES = """\
- {id: query, type: sql, query: "SELECT count(*) FROM ${object}", mustBeLessThan: 9}
- id: stated
  type: custom
  engine: dropgate
  implementation: {metric: statement, statement: "SELECT n FROM data WHERE n > 5"}
- id: fine
  type: custom
  engine: dropgate
  implementation: {metric: expression, expression: n < 9}
"""


def a_plan(**arguments: dict[str, Any]) -> Plan:
    """A plan whose checks of some ids hold other arguments than a contract could give them."""
    document = codec.encode(documents.a_plan(documents.a_document(PROPERTIES, ENTRIES)))
    for check in document["checks"]:
        check["arguments"] |= arguments.get(check["id"], {})
    return codec.decode(Plan, document)


def test_query_of_a_stranger_is_our_error_and_never_runs(spark: SparkSession, tmp_path: Path) -> None:
    ran = tmp_path / MARK
    program = f"select drop, record, x as o0 from (select transform(v0) using 'touch {ran}' as x from {ROWS})"
    plan = a_plan(
        query={"aggregate": "reflect('java.lang.System', 'getenv', 'HOME')"},
        stated={"sql": program},
    )
    run = judge(spark, tmp_path, plan, {"a.csv": "n,s\n1,a\n"})

    assert {c: run.count(c).state for c in ("query", "stated", "fine")} == {
        "query": "error",
        "stated": "error",
        "fine": "counted",
    }
    assert "publish the contract once more" in (run.count("stated").reason or "")
    assert not ran.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        {"fine": {"sql": "(v0 < reflect('java.lang.System', 'getenv', 'HOME'))"}},
        {"fine": {"sql": "exists(select * from text.`/etc/hostname`)"}},
        {"fine": {"filter": {"sql": "(v0 in (select 1 from dropgate_rows))", "text": "x", "properties": ["n"]}}},
    ],
    ids=json.dumps,
)
def test_expression_of_a_stranger_ends_the_run(
    spark: SparkSession, tmp_path: Path, arguments: dict[str, dict[str, Any]]
) -> None:
    with pytest.raises(sql_guard.Refused, match="an expression that Spark must not run"):
        judge(spark, tmp_path, a_plan(**arguments), {"a.csv": "n,s\n1,a\n"})
