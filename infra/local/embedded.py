"""The whole of dropgate on this machine: template, contracts and job in, a running stack out.

Adapters, handlers and Spark are real. Only the cloud (cloud.py, emr/) and AWS's work between services (events/pump.py)
are emulated. One stack per process: moto keeps its state there, and the handlers read the environment.
"""

from __future__ import annotations

import base64
import importlib
import itertools
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import boto3
from botocore.config import Config

from contracts.authoring.publication import Publication, publish
from contracts.plan import Plan
from contracts.terms.notices import Routes
from functions.aws.catalog.s3_catalog import S3Catalog
from infra.local.cloud import Cloud
from infra.local.emr.run import JobSpec, Run
from infra.local.emr.server import EmrServerless
from infra.local.events.events import Event, deliver
from infra.local.events.invocation import Handler
from infra.local.events.pipe import Listener
from infra.local.events.pump import Pump
from infra.local.gateway import Gateway, routes_of
from infra.local.iam.guard import JOB, Guard
from infra.local.issuer import Issuer
from infra.local.mailbox import Mailbox
from infra.local.state.moto_state import Memory
from infra.local.state.sqlite_store import Kept, NotKept
from infra.local.template.stack import Stack, deploy
from infra.packaging import bundles
from infra.setup.expectations import bring
from infra.setup.spark import session as spark_session
from infra.setup.spark.session import lead_s3, local_session
from infra.setup.wheels import this_cpu
from spark_jobs import validate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEMPLATE = bundles.ROOT / "template.yaml"
REGION = "us-east-1"
KEY = "dropgate"
"""Access key and secret of users of the embedded stack; functions and job have keys of their own (iam/guard.py)."""

PATHS = Config(retries={"mode": "standard"}, s3={"addressing_style": "path"})
MADE_ONCE = PATHS.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}, read_timeout=600))
"""For the stack, which is made within one request: a busy machine takes minutes, and a second one would find it."""
MAIL_FROM = "dropgate@dropgate.localhost"
"""An address that nobody has (RFC 6761, section 6.3)."""
BUCKETS = "dropgate"
"""The first part of the names of buckets whose data last."""

_log = logging.getLogger(__name__)
_COUNTER = itertools.count(1)
"""Stacks of one process have names of their own, as their buckets do."""

QUIET = {"POWERTOOLS_LOG_LEVEL": "WARNING", "POWERTOOLS_METRICS_DISABLED": "true", "POWERTOOLS_TRACE_DISABLED": "true"}


def session(key: str = KEY) -> Any:
    """Credentials for the embedded stack that do not come from the environment, which handlers change as they run."""
    return boto3.Session(key, KEY, region_name=REGION)


class Embedded:
    """The stack, which runs while the context is open; `stack` names its resources."""

    def __init__(
        self,
        *,
        window_seconds: int = 2,
        schedule_seconds: float = 5,
        retry_seconds: int | None = 2,
        port: int = 0,
        listener: Listener | None = None,
        job: Callable[[SparkSession, str], None] = validate.run,
        spark: SparkSession | None = None,
        environment: Mapping[str, str] = QUIET,
        expectations: bool = False,
        state: Path | None = None,
        mask_evidence: bool = False,
        memory: str = "2g",
        mailbox: Mailbox | None = None,
        api: bool = False,
        page_origin: str = "",
        fast_lane: bool = False,
    ) -> None:
        """Prepare. A Spark session that runs already is used; `job` may wrap the real job, to let it crash.

        `expectations` brings Great Expectations, for contracts that ask for it; its archive is built if it was not yet.
        `state` is a folder that keeps the data from one start to the next; raises NotKept if it cannot be used.
        `mask_evidence` and `fast_lane` are the template's parameters, `memory` the heap of the JVM that this stack
        starts. `mailbox` takes the mails of notices, while it is open; without it none are sent. `api` makes the API,
        with an issuer; `page_origin` is the origin of a page that may upload by its addresses, in place of its own.
        """
        self._kept = Kept(state) if state else None
        self.guard = Guard()
        self.cloud = Cloud(port, self.guard)
        self.emr = EmrServerless(self._run_job, self._exists, self._emit, read=self._text, guard=self.guard)
        self._window_seconds = window_seconds
        self._expectations = expectations
        self._mask_evidence = mask_evidence
        self._fast_lane = fast_lane
        self._pumping: dict[str, Any] = {
            "schedule_seconds": schedule_seconds,
            "retry_seconds": retry_seconds,
            "listener": listener,
        }
        self._extra = environment
        self._job = job
        self._running = spark
        self._memory = memory
        self._mailbox = mailbox
        self.issuer = Issuer() if api else None
        self.gateway = Gateway((), self._invoke) if api else None
        self._page_origin = page_origin or (self.gateway.endpoint if self.gateway else "")
        self._spark: SparkSession | None = None
        self._spark_starts = Lock()
        self._clients: dict[tuple[str, str], Any] = {}
        self._environment_before: dict[str, str] = {}
        self.stack: Stack
        self.pump: Pump

    def __enter__(self) -> Self:
        Thread(target=self.spark, daemon=True).start()  # meanwhile; who needs it waits for it
        with Cloud() as inner:  # nobody else is answered before all is made, and what lasts is back
            self.stack = deploy(
                TEMPLATE,
                lambda service: session().client(service, endpoint_url=inner.endpoint, config=MADE_ONCE),
                self.emr.application.id,
                REGION,
                {
                    "WindowSeconds": self._window_seconds,
                    "GreatExpectations": str(self._expectations).lower(),
                    "Arrow": "true",
                    "MaskEvidence": str(self._mask_evidence).lower(),
                    "FastLane": str(self._fast_lane).lower(),
                    "MailFrom": MAIL_FROM if self._mailbox else "",
                    "Api": str(self.issuer is not None).lower(),
                    "ApiIssuers": self.issuer.parameter if self.issuer else "",
                    "PageOrigin": self._page_origin,
                    # What lasts names buckets, so that these need names that last as well.
                    "BucketPrefix": BUCKETS if self._kept else "",
                },
                name=f"dropgate{next(_COUNTER)}",
            )
            if self._kept:
                memory = Memory(self._kept, self.stack)
                memory.restore()
                self.cloud.memory = memory  # which saves changes from now on
                self._pumping["carried"] = memory.carried
        self.cloud.start()
        self.guard.learn(self.stack)
        self.cloud.let_in(self.stack.cors)
        self._upload_job()
        self._environment_before = dict(os.environ)
        os.environ.update(self.environment())
        self.pump = self._pump()
        if self._kept:
            self._resume_runs(self._kept)
        self.emr.start()  # last: a run that goes on needs all of the above, and rings the pump
        self.pump.start()
        if self.issuer and self.gateway:
            self._make_link_key()
            self.issuer.start()
            self.gateway.routes = routes_of(self.stack.template)
            self.gateway.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.issuer and self.gateway:
            self.gateway.stop()
            self.issuer.stop()
        self.pump.stop()
        self.emr.stop()
        with self._spark_starts:
            if self._spark and not self._running:
                spark_session.end()  # a job at work would ask the cloud for minutes, and this process would wait for it
        self.cloud.stop()
        if self._kept:
            self._kept.close()
        os.environ.clear()
        os.environ.update(self._environment_before)

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """Let no function run meanwhile; messages wait in the queues."""
        self.pump.stop()
        try:
            yield
        finally:
            self.pump = self._pump().start()

    def _resume_runs(self, kept: Kept) -> None:
        """Resume the job runs of a folder; each change of a run is an event, so the pump must exist."""

        def keep(run: Run) -> None:
            with suppress(NotKept):  # then this stack stops (`check`)
                kept.put("run", "", run.id, run)

        self.emr.keep(keep, [run for _, run in kept.all("run")])

    def _pump(self) -> Pump:
        """Make a pump of the functions' own handlers; `start` starts it."""
        handlers: dict[str, Handler] = {}
        for name, function in self.stack.functions.items():
            module, _, attribute = function.handler.rpartition(".")
            handlers[name] = getattr(importlib.import_module(module), attribute)
        return Pump(self.stack, self.client, handlers, **self._pumping)

    def _invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        """Call a function of the current pump."""
        return self.pump.invoke(function, event)

    def client(self, service: str, key: str = KEY) -> Any:
        """Return the boto3 client of a service of this stack; each is made once."""
        if (service, key) not in self._clients:
            endpoint = self.emr.endpoint if service == "emr-serverless" else self.cloud.endpoint
            self._clients[service, key] = session(key).client(service, endpoint_url=endpoint, config=PATHS)
        return self._clients[service, key]

    def _make_link_key(self) -> None:
        """Make a key for links to receipts, as an operator does once, unless there is one."""
        ssm, name = self.client("ssm"), f"{self.stack.environment['DROPGATE_LINKS']}keys"
        key = base64.b64encode(secrets.token_bytes(32)).decode()
        with suppress(ssm.exceptions.ParameterAlreadyExists):
            ssm.put_parameter(Name=name, Type="SecureString", Value=f"local {key} 7")

    def environment(self) -> dict[str, str]:
        """Return the variables that reach this stack, with those that the template gives the functions."""
        return {
            **self.stack.environment,
            **({"DROPGATE_SMTP": self._mailbox.address} if self._mailbox else {}),
            **({"DROPGATE_ISSUER_ORIGIN": self.issuer.endpoint} if self.issuer else {}),
            **({"DROPGATE_API": self.gateway.endpoint} if self.gateway else {}),
            **self._extra,
            "AWS_ENDPOINT_URL": self.cloud.endpoint,
            "AWS_ENDPOINT_URL_EMR_SERVERLESS": self.emr.endpoint,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
        }

    def publish(
        self, plans: Sequence[Plan], documents: Mapping[str, bytes] | None = None, routes: Routes | None = None
    ) -> Publication:
        """Publish plans and who hears of them, and keep their contract documents."""
        store = S3Catalog(self.client("s3"), self.environment()["DROPGATE_CATALOG"])
        return publish(plans, store, datetime.now(UTC), documents, routes)

    def upload(self, key: str, body: bytes, **how: str) -> str:
        """Upload a file as producers do, with PutObject's arguments `how`; return its version."""
        put = self.client("s3").put_object(Bucket=self.stack.names["LandingBucket"], Key=key, Body=body, **how)
        self.pump.wake()
        return str(put["VersionId"])

    def check(self) -> None:
        """Raise NotKept if the folder of the data can no longer be written."""
        if self._kept:
            self._kept.check()

    def settle(self, seconds: float) -> bool:
        """Wait until no work is left; return False if it took too long."""
        return self.pump.drain(seconds, self.emr.idle)

    def spark(self) -> SparkSession:
        """Return the one Spark of this stack, started on first use, and again after its JVM has ended."""
        with self._spark_starts:
            if self._spark and not self._running and spark_session.has_ended():
                _log.warning("Spark's JVM has ended; starting another one")
                self._spark = None
            if self._spark is None:
                endpoint = self.cloud.endpoint
                running = self._running
                if running:
                    self._spark = lead_s3(running, endpoint, JOB, KEY)
                else:
                    self._spark = local_session("dropgate", endpoint, self._memory, access_key=JOB, brief=True)
            return self._spark

    def _run_job(self, spec: JobSpec) -> None:
        (flag, request) = spec.arguments
        assert flag == "--request", spec.arguments
        assert not spec.settings, f"nobody here sets {', '.join(spec.settings)} on the local Spark"
        spark = self.spark()
        with self.guard.running(self.stack, spec.iam_policy):
            for uri in (spec.entry_point, *spec.py_files, *spec.archives):  # as EMR does, as the job's role
                bucket, _, key = uri.removeprefix("s3://").partition("/")
                self.client("s3", JOB).get_object(Bucket=bucket, Key=key)
            # What an archive is made of comes from this machine, like the job's code; Arrow is there already.
            if self.environment()["DROPGATE_JOB_ENVIRONMENT"] in spec.archives:
                bring(spark, lambda _: None)
            self._job(spark, request)

    def _emit(self, event: Event) -> None:
        deliver(event)
        if self.cloud.memory:
            with suppress(NotKept):
                self.cloud.memory.queues()
        self.pump.wake()

    def _exists(self, uri: str) -> bool:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        client = self.client("s3")
        try:
            client.head_object(Bucket=bucket, Key=key)
        except client.exceptions.ClientError:
            return False
        return True

    def _text(self, uri: str) -> str:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        return str(self.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode())

    def _upload_job(self) -> None:
        """Upload the job's entry point and archives to their places in the template."""
        client, environment = self.client("s3"), self.environment()
        for uri, body in (
            (environment["DROPGATE_JOB_ENTRY"], Path(bundles.ENTRY).read_bytes()),
            (environment["DROPGATE_JOB_ARCHIVE"], bundles.job_archive()),
            (environment["DROPGATE_JOB_ARROW"], b""),  # nobody here unpacks it
        ):
            bucket, _, key = uri.removeprefix("s3://").partition("/")
            client.put_object(Bucket=bucket, Key=key, Body=body)
        if uri := environment["DROPGATE_JOB_ENVIRONMENT"]:
            bucket, _, key = uri.removeprefix("s3://").partition("/")
            with bundles.built_environment(this_cpu(), lambda _: None).open("rb") as file:
                client.put_object(Bucket=bucket, Key=key, Body=file)
