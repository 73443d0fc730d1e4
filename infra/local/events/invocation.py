"""An event and a handler in, the handler's answer out, as Lambda invokes it: JSON both ways, one at a time."""

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

from infra.local.loopback import ACCOUNT
from infra.local.template.stack import Function

_KEY = "AWS_ACCESS_KEY_ID"

Handler = Callable[[Any, Any], Any]
"""A Lambda handler: event and context in, answer out."""


@dataclass(frozen=True, slots=True)
class Context:
    """Lambda's facts about an invocation (the Python context object of the Lambda developer guide)."""

    function_name: str
    invoked_function_arn: str
    memory_limit_in_mb: int
    aws_request_id: str
    deadline: float
    function_version: str = "$LATEST"
    log_group_name: str = ""
    log_stream_name: str = ""
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        """Return the remaining time before the function's timeout."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


class Invoker:
    """Calls functions in this process.

    One at a time: Lambda gives each invocation a process of its own; here they share one, and a handler's logger,
    metrics and batch processor keep state while it runs. Meanwhile the process has the function's own access key, its
    logical id: other readers of the environment wait for a `turn`, or have credentials of their own.
    """

    def __init__(self, functions: Mapping[str, Function], handlers: Mapping[str, Handler], region: str) -> None:
        self._functions = {name: (function, handlers[name]) for name, function in functions.items()}
        self._region = region
        self._turn = Lock()
        self.longest: dict[str, float] = {}
        """The seconds of the longest invocation of each function."""

    def __call__(self, name: str, event: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Any:
        """Invoke the function with that logical id; an exception of its handler is raised."""
        function, handler = self._functions[name]
        with self.turn(), acting_as(name):
            context = Context(
                function_name=function.name,
                invoked_function_arn=f"arn:aws:lambda:{self._region}:{ACCOUNT}:function:{function.name}",
                memory_limit_in_mb=function.memory_mb,
                aws_request_id=str(uuid.uuid4()),
                deadline=time.monotonic() + function.timeout_seconds,
            )
            began = time.monotonic()
            try:
                answer = handler(json.loads(json.dumps(event)), context)
            finally:
                self.longest[name] = max(self.longest.get(name, 0), time.monotonic() - began)
        return json.loads(json.dumps(answer))

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let no handler run meanwhile."""
        with self._turn:
            yield


@contextmanager
def acting_as(key: str) -> Iterator[None]:
    """Give the process an access key meanwhile, as a function has its own."""
    before = os.environ.get(_KEY)
    os.environ[_KEY] = key
    try:
        yield
    finally:
        if before is None:
            del os.environ[_KEY]
        else:
            os.environ[_KEY] = before
