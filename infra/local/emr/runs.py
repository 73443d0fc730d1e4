"""Job specifications in; runs that pass through EMR Serverless's states, a few at a time, out."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from queue import SimpleQueue
from threading import Event as Flag
from threading import RLock, Thread
from time import monotonic
from typing import Any

from infra.local.emr.errors import ResourceNotFoundException, ValidationException
from infra.local.emr.job_events import JobEvents
from infra.local.emr.run import ENDED, WAITING, Application, JobSpec, Run

_DETAILS_MAX = 256
STOP_SECONDS = 3.0


class JobRuns:
    """The runs of one application: `limit` at a time, the others queue."""

    def __init__(
        self,
        application: Application,
        run_job: Callable[[JobSpec], None],
        events: JobEvents,
        now: Callable[[], datetime],
        cold_start: float,
    ) -> None:
        self._application = application
        self._run_job = run_job
        self._events = events
        self._now = now
        self._cold_start = cold_start
        self._runs: dict[str, Run] = {}
        self._tokens: dict[str, str] = {}
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._lock = RLock()
        self._stopping = Flag()
        self._stopped = Flag()
        self.keep: Callable[[Run], None] = lambda _: None
        self._workers = [Thread(target=self._work, daemon=True) for _ in range(application.max_concurrent_runs)]

    def start(self) -> None:
        """Start to take runs from the queue."""
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """Start no further run, and wait briefly for the active ones; a longer one stays RUNNING."""
        self._stopping.set()
        self._events.stop()
        for _ in self._workers:
            self._waiting.put(None)
        end = monotonic() + STOP_SECONDS
        for worker in self._workers:
            worker.join(max(0.0, end - monotonic()))
        self._stopped.set()

    def resume(self, runs: Iterable[Run]) -> None:
        """Take over the runs of a stopped stack: queued runs wait again, an active one has lost its worker."""
        with self._lock:
            for run in runs:
                self._tokens[run.spec.token], self._runs[run.id] = run.id, run
                if run.state in WAITING:
                    self._waiting.put(run.id)
                elif run.state not in ENDED:
                    self._end(run.id, "FAILED", "Job failed. Exception: WorkerLostError: the stack was stopped")

    def submit(self, job: JobSpec, asked: Mapping[str, Any], created_by: str) -> Run:
        """Start a run, or return the earlier run of the same token, in any state.

        The API's pages do not say what a token reused with other parameters brings; in practice it is the old run.
        """
        with self._lock:
            if job.token in self._tokens:
                return self._runs[self._tokens[job.token]]
            run_id, at = secrets.token_hex(8), self._now()
            run = Run(
                run_id, f"{self._application.arn}/jobruns/{run_id}", created_by, job, asked, "SUBMITTED", "", at, at
            )
            busy = sum(other.state not in ENDED for other in self._runs.values()) >= len(self._workers)
            self._tokens[job.token], self._runs[run_id] = run_id, run
            self.keep(run)
            self._events.changed(run, None)
            if busy:
                self._move(run_id, "QUEUED")
            self._waiting.put(run_id)
            return run

    def get(self, run_id: str) -> Run:
        """Return a run in its current state."""
        with self._lock:
            if run_id not in self._runs:
                raise ResourceNotFoundException(f"Job run {run_id} does not exist.")
            return self._runs[run_id]

    def newest_first(self) -> list[Run]:
        """Return all runs, newest first."""
        with self._lock:
            return list(reversed(self._runs.values()))

    def cancel(self, run_id: str) -> None:
        """Cancel a run: at once if it has not begun, else when its job returns (a local job cannot be killed)."""
        with self._lock:
            state = self.get(run_id).state
            if state in ENDED:
                raise ValidationException(f"Job run {run_id} is {state} and cannot be cancelled.")
            if state != "CANCELLING":
                self._move(run_id, "CANCELLING")
            if state in WAITING:
                self._move(run_id, "CANCELLED")

    def _work(self) -> None:
        while (run_id := self._waiting.get()) is not None and not self._stopping.is_set():
            if not all(self._advance(run_id)):
                continue
            spec = self.get(run_id).spec
            state, details = "SUCCESS", ""
            try:
                self._run_job(spec)
            except Exception as error:  # noqa: BLE001 (the edge between EMR and the job: whatever the job raises is a failed run)
                state, details = "FAILED", f"Job failed. Exception: {type(error).__name__}: {error}"
            if not self._stopped.is_set():
                self._end(run_id, state, details)

    def _advance(self, run_id: str) -> Iterator[bool]:
        """Advance a run from the queue to its start; return False if it was cancelled."""
        for state in ("PENDING", "SCHEDULED", "RUNNING"):
            if state == "RUNNING":
                self._stopping.wait(self._cold_start)
            with self._lock:
                wanted = self.get(run_id).state in WAITING
                if wanted:
                    self._move(run_id, state)
            yield wanted

    def _end(self, run_id: str, state: str, details: str) -> None:
        with self._lock:
            cancelled = self.get(run_id).state == "CANCELLING"
            self._move(run_id, "CANCELLED" if cancelled else state, "" if cancelled else details)

    def _move(self, run_id: str, state: str, details: str = "") -> None:
        before, at = self._runs[run_id], self._now()
        after = replace(before, state=state, details=details[:_DETAILS_MAX], updated_at=at)
        if state == "RUNNING":
            after = replace(after, started_at=at)
        if state in ENDED:
            after = replace(after, ended_at=at)
        self._runs[run_id] = after
        self.keep(after)
        self._events.changed(after, before.state)
