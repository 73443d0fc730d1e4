"""A JVM that ends while it is called: the caller gets an error, and the log no trace."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from threading import Thread

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from infra.setup.spark import session


@pytest.fixture
def dying() -> Iterator[int]:
    """A port at which every call gets no answer; once it is closed, none is taken."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        thread = Thread(target=hang_up, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_call_of_an_ended_jvm_logs_nothing(dying: int, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    session.mute_py4j()
    for port in (dying, nobody):
        gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
        with pytest.raises((Py4JError, OSError)):
            gateway.jvm.java.lang.System.currentTimeMillis()
    assert caplog.records == []
