"""EMR Serverless on loopback: requests of boto3's own client in, runs of the real job and their events out.

One application, given at construction. What it does not play (Hive, streaming, retries, configuration overrides that
change the job, Spark parameters on no list) it refuses with a ValidationException.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import parse_qs

from infra.local.emr.documents import described, described_application, listed
from infra.local.emr.errors import (
    AccessDeniedException,
    EmrError,
    ResourceNotFoundException,
    ValidationException,
)
from infra.local.emr.job_events import EventFaults, JobEvents
from infra.local.emr.request import read_start
from infra.local.emr.run import ENDED, Application, JobSpec, Run
from infra.local.emr.runs import JobRuns
from infra.local.events.events import Event
from infra.local.iam.calls import Call, Request, credential
from infra.local.iam.guard import Guard, because
from infra.local.loopback import ACCOUNT, Environ, LoopbackServer, StartResponse, read_body
from infra.local.moto_patches.fault_injection import Outages

_PATH = re.compile(r"/applications/(?P<application>[0-9a-z]+)(?P<runs>/jobruns(?:/(?P<run>[0-9a-z]+))?)?")
_OPERATIONS = {
    ("GET", False, False): "GetApplication",
    ("POST", True, False): "StartJobRun",
    ("GET", True, False): "ListJobRuns",
    ("GET", True, True): "GetJobRun",
    ("DELETE", True, True): "CancelJobRun",
}
_REMEMBERED_CALLS = 10_000


class RunKilledError(Exception):
    """A run was killed by a deadly text."""


class EmrServerless(LoopbackServer):
    """EMR Serverless with one application; `calls` lists its calls, `faults` are the faults of its events.

    `outages` make it fail for a while, `deadly` are texts (as ids of drops): a run is killed whose request holds one.
    """

    def __init__(
        self,
        run_job: Callable[[JobSpec], None],
        exists: Callable[[str], bool],
        emit: Callable[[Event], None],
        *,
        read: Callable[[str], str] = str,
        application_id: str = "00dropgate000001",
        release_label: str = "emr-spark-8.1.0",
        region: str = "us-east-1",
        max_concurrent_runs: int = 1,
        cold_start: float = 0.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        port: int = 0,
        guard: Guard | None = None,
    ) -> None:
        """Take the job (an exception fails its run), a check of s3:// URIs, the receiver of events, the application.

        `read` gives the text of a request by its URI, where one may be deadly.
        """
        super().__init__(self._answer, port)
        self._guard = guard or Guard()
        arn = f"arn:aws:emr-serverless:{region}:{ACCOUNT}:/applications/{application_id}"
        self.application = Application(application_id, arn, release_label, region, max_concurrent_runs)
        self.calls: deque[Call] = deque(maxlen=_REMEMBERED_CALLS)
        self.outages = Outages()
        self._created_at = now()
        self._exists = exists
        self._events = JobEvents(self.application, emit)
        self.deadly: set[str] = set()
        self._read = read
        self._runs = JobRuns(self.application, self._killing(run_job), self._events, now, cold_start)

    @property
    def faults(self) -> EventFaults:
        """Return the faults of events from now on."""
        return self._events.faults

    @faults.setter
    def faults(self, faults: EventFaults) -> None:
        self._events.faults = faults

    def start(self) -> Self:
        """Start to answer and to run jobs."""
        self._runs.start()
        return super().start()

    def stop(self) -> None:
        """Stop answering, start no further run, and drop delayed events."""
        super().stop()
        self._runs.stop()

    def keep(self, keep: Callable[[Run], None], runs: Iterable[Run]) -> None:
        """Resume the runs of a stopped stack, and report every change of a run from now on."""
        self._runs.keep = keep
        self._runs.resume(runs)

    def idle(self) -> bool:
        """Return True if every run has ended."""
        return all(run.state in ENDED for run in self._runs.newest_first())

    def _killing(self, run_job: Callable[[JobSpec], None]) -> Callable[[JobSpec], None]:
        """Kill a run whose request holds a deadly text, as the operating system kills a JVM: it leaves no result."""

        def run(job: JobSpec) -> None:
            if self.deadly and any(text in self._read(job.arguments[-1]) for text in self.deadly):
                raise RunKilledError("the driver was killed: exit code 137")
            run_job(job)

        return run

    def _answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        headers = [("Content-Type", "application/json")]
        body = read_body(environ)
        asked = Request(credential(environ).caller, f"emr-serverless:{_asked(environ)[1]}")
        if failure := self.outages.befalls(asked):
            return failure.answer(start_response)
        try:
            answer, status = self._operate(environ, body), "200 OK"
        except EmrError as error:
            answer, status = {"message": str(error)}, error.status
            headers.append(("x-amzn-ErrorType", type(error).__name__))
        document = json.dumps(answer).encode()
        start_response(status, [*headers, ("Content-Length", str(len(document)))])
        return [document]

    def _operate(self, environ: Environ, body: bytes) -> dict[str, Any]:
        path, operation = _asked(environ)
        if path is None or operation is None:
            raise ValidationException(f"The local EMR Serverless plays {', '.join(_OPERATIONS.values())} only.")
        if path["application"] != self.application.id:
            raise ResourceNotFoundException(f"Application {path['application']} does not exist.")
        caller = credential(environ).caller
        place = self.application.arn + (f"/jobruns/{path['run']}" if path["run"] else "")
        self._ask(Call(caller, f"emr-serverless:{operation}", place))
        query = parse_qs(environ.get("QUERY_STRING", ""))
        match operation:
            case "StartJobRun":
                asked = json.loads(body or b"{}")
                job = read_start({"applicationId": self.application.id, **asked}, self._exists)
                # docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
                passed = {"iam:PassedToService": "emr-serverless.amazonaws.com"}
                self._ask(Call(caller, "iam:PassRole", job.execution_role, passed))
                run = self._runs.submit(job, asked, f"arn:aws:iam::{ACCOUNT}:user/{caller}")
                return {"applicationId": self.application.id, "jobRunId": run.id, "arn": run.arn}
            case "ListJobRuns":
                return listed(self.application, self._runs.newest_first(), query)
            case "GetJobRun":
                return {"jobRun": described(self.application, self._runs.get(path["run"]))}
            case "CancelJobRun":
                self._runs.cancel(path["run"])
                return {"applicationId": self.application.id, "jobRunId": path["run"]}
            case _:
                return {"application": described_application(self.application, self._created_at)}

    def _ask(self, call: Call) -> None:
        """Record a call; raise AccessDeniedException if its caller may not make it."""
        self.calls.append(call)
        if self._guard.refused([call]):
            raise AccessDeniedException(because(call))


def _asked(environ: Environ) -> tuple[re.Match[str] | None, str | None]:
    """Read the path of a request, and name its operation."""
    path = _PATH.fullmatch(environ["PATH_INFO"])
    asked = path and (environ["REQUEST_METHOD"], bool(path["runs"]), bool(path["run"]))
    return path, _OPERATIONS.get(asked) if asked else None
