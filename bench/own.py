"""Our own rows: a name of one in, its lines of the table out. Each makes the files and plans that it needs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from pyspark.sql import SparkSession

from bench import memory, plans, running
from bench import nested as orders
from bench.deployed import runner
from bench.deployed.runner import Runner
from bench.deployed.storage import Storage, serving
from bench.files import CODES, Files
from bench.measuring import LONG, Row, alternate
from contracts.job import JobReference
from contracts.plan import Plan, record_checks
from contracts.terms.value_form import ValueForm
from infra.setup.spark.jars import ROOT

FEW, MANY = 46, 500
"""Checks of the two contracts that the row `checks` compares."""


@dataclass
class Bench:
    """The things that rows share: files, plans and, once a row asks for it, one warm session.

    `started` ends the processes that rows have started.
    """

    files: Files
    whole: Plan = field(default_factory=plans.whole)
    started: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def plain(self) -> Plan:
        """The contract without uniqueness."""
        return plans.plain(self.whole)

    @cached_property
    def spark(self) -> SparkSession:
        """The session of all rows but `fresh` and `test`."""
        return running.session()

    @cached_property
    def storage(self) -> Storage:
        """The server of the files' folder, in a process of its own."""
        return self.started.enter_context(serving(self.files.folder))

    @cached_property
    def runner(self) -> Runner:
        """The process with the job as on EMR, which all rows over S3A share."""
        return self.started.enter_context(runner.running(self.storage))

    def scan(self, file: Path) -> Callable[[], None]:
        """A bare typed scan, ready to run."""
        return partial(running.scan, self.spark, file, self.plain)

    def job(self, plan: Plan, *files: Path) -> running.Job:
        """A whole job, ready to run."""
        return running.job(self.spark, plan, files, self.files.folder)

    def beside(self, first: Callable[[], None], second: running.Job, *rounds: int) -> tuple[tuple[float, float], ...]:
        """Return the seconds of a baseline and of a job, in turn; raise AssertionError if the job lost a record."""
        pairs = alternate(first, second.run, *rounds)
        second.result()
        return pairs


def clean(bench: Bench) -> list[Row]:
    """The job on a file without a bad row."""
    file = bench.files.clean
    what = f"clean CSV, {file.stat().st_size / 2**20:.0f} MiB; baseline: a bare typed scan"
    return [Row(what, bench.beside(bench.scan(file), bench.job(bench.plain, file)), 1.8)]


def bad(bench: Bench) -> list[Row]:
    """The job on a file with bad rows, all of which must be among the rejected."""
    file = bench.files.dirty
    job = bench.job(bench.plain, file)
    pairs = bench.beside(bench.scan(file), job)
    assert job.result().drops[0].rejected == bench.files.bad
    return [Row(f"6 % bad rows ({bench.files.bad:,}), quarantined with all ids; baseline: the scan", pairs, 2.2)]


def unique(bench: Bench) -> list[Row]:
    """The job with uniqueness of values that ascend, that do so in two runs, and in random order."""
    forms = {
        "clean, with uniqueness of `index` (ascending values); baseline: the scan": (bench.files.clean, None),
        "the same, with the file's second half first; baseline: the scan": (bench.files.rotated, 1.3),
        "the same, with the rows in random order; baseline: the scan": (bench.files.mixed, None),
    }
    return [
        Row(what, bench.beside(bench.scan(file), bench.job(bench.whole, file), *LONG), bound)
        for what, (file, bound) in forms.items()
    ]


def foreign(bench: Bench) -> list[Row]:
    """The job with a foreign key into a file of many keys, which each job reads."""
    file, codes = bench.files.clean, JobReference("codes", "1", (bench.files.codes.as_uri(),))
    job = running.job(bench.spark, plans.referring(bench.plain), [file], bench.files.folder, [codes])
    return [Row(f"a foreign key into {CODES:,}; baseline: the scan", bench.beside(bench.scan(file), job, *LONG), 1.5)]


def parquet(bench: Bench) -> list[Row]:
    """The job on Parquet of the same rows."""
    file = bench.files.parquet(bench.spark, bench.plain)
    what = f"Parquet of the same rows, {file.stat().st_size / 2**20:.0f} MiB; baseline: the job on CSV"
    typed = bench.job(plans.plain(plans.in_format("parquet")), file)
    return [
        Row(what, bench.beside(bench.job(bench.plain, bench.files.clean).run, typed), 0.6),
        Row("the same Parquet; baseline: a bare typed scan of it", bench.beside(bench.scan(file), typed)),
    ]


def jsonl(bench: Bench) -> list[Row]:
    """The job on JSON Lines of the same rows."""
    file = bench.files.json_lines(bench.spark, bench.plain)
    what = f"JSON Lines of the same rows, {file.stat().st_size / 2**20:.0f} MiB; baseline: the job on CSV"
    lines = bench.job(plans.plain(plans.in_format("jsonl")), file)
    return [
        Row(what, bench.beside(bench.job(bench.plain, bench.files.clean).run, lines, *LONG)),
        Row("the same JSON Lines; baseline: a bare typed scan of them", bench.beside(bench.scan(file), lines, *LONG)),
    ]


def json(bench: Bench) -> list[Row]:
    """The job on JSON arrays of the same rows."""
    lines, rows = bench.files.json_lines(bench.spark, bench.plain), []
    baseline, plan = bench.job(plans.plain(plans.in_format("jsonl")), lines), plans.plain(plans.in_format("json"))
    for form, indented in (("in one line", False), ("with a line for each value", True)):
        file = bench.files.json_array(lines, indented=indented)
        size = f"{file.stat().st_size / 2**20:.0f} MiB"
        what = f"a JSON array of the same rows, {form}, {size}; baseline: the job on JSON Lines"
        rows.append(Row(what, bench.beside(baseline.run, bench.job(plan, file), *LONG), 1.5))
    return rows


def xml(bench: Bench) -> list[Row]:
    """The job on XML of the same rows."""
    lines, file = bench.files.json_lines(bench.spark, bench.plain), bench.files.xml()
    what = f"XML of the same rows, {file.stat().st_size / 2**20:.0f} MiB; baseline: the job on JSON Lines"
    plan = plans.plain(plans.in_format("xml", "xml: {record: observations/observation}"))
    baseline = bench.job(plans.plain(plans.in_format("jsonl")), lines)
    return [Row(what, bench.beside(baseline.run, bench.job(plan, file), *LONG), 4)]


def encodings(bench: Bench) -> list[Row]:
    """The job on the same rows in another encoding than UTF-8."""
    rows = []
    for encoding, bound in (("windows-1252", 1.4), ("utf-16", 2)):
        file = bench.files.encoded(encoding)
        plan = replace(bench.plain, csv=replace(bench.plain.csv, encoding=encoding))
        what = f"CSV of the same rows in {encoding}, {file.stat().st_size / 2**20:.0f} MiB; baseline: the job on UTF-8"
        rows.append(
            Row(what, bench.beside(bench.job(bench.plain, bench.files.clean).run, bench.job(plan, file)), bound)
        )
    return rows


def packed(bench: Bench) -> list[Row]:
    """The job on packed files of the same rows, beside gzip."""
    gzipped = bench.job(replace(bench.plain, compression="gzip"), bench.files.packed("gzip"))
    rows = []
    for form, plan in plans.packed(bench.plain).items():
        file = bench.files.packed(form)
        what = f"CSV of the same rows by {form}, {file.stat().st_size / 2**20:.0f} MiB; baseline: the job on gzip"
        first = gzipped.run
        if form == "bzip2":  # a processor unpacks a tenth of what it unpacks of the others
            what += ", and the unpacking of bzip2 alone"
            first = partial(running.with_unpacking, gzipped, file, form)
        rows.append(Row(what, bench.beside(first, bench.job(plan, file), *LONG), 1.5))
    return rows


def values(bench: Bench) -> list[Row]:
    """The job on the same rows as Excel writes them in German."""
    file, forms = bench.files.german, {"number": ValueForm(decimal=","), "date": ValueForm(formats=("d.M.yyyy",))}
    properties = tuple(replace(p, form=forms.get(p.type)) for p in bench.plain.properties)
    csv = replace(bench.plain.csv, delimiter=";", encoding="windows-1252")
    form = f"windows-1252, semicolons, decimal commas and days as 31.1.2019, {file.stat().st_size / 2**20:.0f} MiB"
    what = f"CSV of the same rows in {form}; baseline: the job on the clean file"
    job = bench.job(replace(bench.plain, csv=csv, properties=properties), file)
    return [Row(what, bench.beside(bench.job(bench.plain, bench.files.clean).run, job), 1.4)]


def fixed(bench: Bench) -> list[Row]:
    """The job on the same rows in lines of fixed width."""
    file, layout = bench.files.fixed()
    own = (c for c in bench.plain.checks if c.scope != "record")
    plan = replace(
        bench.plain,
        file_format="fixed",
        fixed=layout,
        csv=replace(bench.plain.csv, delimiter="\0", quote="", header=False),
        checks=(*record_checks("fixed", "reject", fixed=layout), *own),
    )
    what = f"text of fixed width of the same rows, {file.stat().st_size / 2**20:.0f} MiB; baseline: the job on CSV"
    return [Row(what, bench.beside(bench.job(bench.plain, bench.files.clean).run, bench.job(plan, file)), 1.5)]


def drafts(bench: Bench) -> list[Row]:
    """`dropgate init` on the same rows in each form, beside CSV."""
    files, lines = bench.files, bench.files.json_lines(bench.spark, bench.plain)
    forms = {
        "CSV in windows-1252": files.encoded("windows-1252"),
        "CSV in utf-16": files.encoded("utf-16"),
        **{f"CSV by {form}": files.packed(form) for form in ("gzip", *plans.packed(bench.plain))},
        "lines of fixed width": files.fixed(apart=" ")[0],
        "a JSON array in one line": files.json_array(lines, indented=False),
        "a JSON array with a line for each value": files.json_array(lines, indented=True),
        "XML": files.xml(),
        "an XLSX of the first rows": files.workbook,
    }
    return [_draft(what, file, files.clean if file != files.workbook else files.few) for what, file in forms.items()]


def _draft(form: str, file: Path, plain: Path) -> Row:
    """The seconds of `dropgate init` on a file, beside CSV of the same rows."""
    what, first = f"`dropgate init` on {form}, {file.stat().st_size / 2**20:.0f} MiB", partial(running.init, plain)
    baseline = "on CSV of the same rows"
    if file.suffix == ".bzip2":  # a processor unpacks a tenth of what it unpacks of the others
        first, baseline = partial(running.init_and_unpack, plain, file), f"{baseline}, and the unpacking of bzip2 alone"
    return Row(f"{what}; baseline: {baseline}", alternate(first, partial(running.init, file), *LONG), 1.5)


def drops(bench: Bench) -> list[Row]:
    """A job of many small drops."""
    files = bench.files.small
    pairs = bench.beside(bench.job(bench.plain, files[0]).run, bench.job(bench.plain, *files))
    return [Row("1,000 drops of 100 rows; baseline: the job of one", pairs, 4)]


def four(bench: Bench) -> list[Row]:
    """Four times the rows: the seconds, and the heap in use."""
    once, often = (bench.job(bench.plain, file) for file in (bench.files.clean, bench.files.four))
    seconds = Row("4 times the rows; baseline: the job on them once", bench.beside(once.run, often, *LONG), 4.2)
    heap = (
        memory.in_use(bench.spark, once.run, seconds.yardstick),
        memory.in_use(bench.spark, often.run, seconds.job),
    )
    return [seconds, Row("peak heap in use, 4 times the rows", (heap,), 1.1, "MiB")]


def fresh(bench: Bench) -> list[Row]:
    """The first job of a JVM, against the first scan of another."""
    first = partial(_fresh, bench.files)
    pairs = tuple((first("scan"), first("job")) for _ in range(LONG[1]))
    return [Row("first job of a fresh JVM; baseline: the first scan of another", pairs, 1.5)]


def checks(bench: Bench) -> list[Row]:
    """Many checks against few, on the same file."""
    few, many = (bench.job(plans.of_checks(bench.plain, n), bench.files.clean) for n in (FEW, MANY))
    return [
        Row(
            f"{MANY} checks; baseline: {FEW} checks of the same kinds",
            bench.beside(few.run, many, *LONG),
            round(MANY / FEW, 1),
        )
    ]


def nested(bench: Bench) -> list[Row]:
    """Checks within objects and arrays, against the same rules on the same values in flat columns."""
    deep, wide = (
        bench.job(plan, file) for plan, file in zip(orders.plans(), orders.write(bench.files.folder), strict=True)
    )
    what = f"JSON Lines of {orders.ORDERS:,} orders with an object and an array of two; baseline: flat columns"
    return [Row(what, bench.beside(wide.run, deep, *LONG), 2)]


ROWS: dict[str, Callable[[Bench], list[Row]]] = {
    run.__name__: run
    for run in (
        clean,
        bad,
        unique,
        foreign,
        parquet,
        jsonl,
        json,
        xml,
        encodings,
        packed,
        values,
        fixed,
        drafts,
        nested,
        drops,
        four,
        checks,
        fresh,
    )
}


def _fresh(files: Files, what: str) -> float:
    """The seconds of a first scan or job, from a process of its own."""
    command = [sys.executable, "-m", "bench.fresh", what, str(files.clean), str(files.folder)]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout.split()[-1])
