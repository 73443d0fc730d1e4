"""A real Chromium without a screen, for tests: commands of WebDriver in (www.w3.org/TR/webdriver2), its page out."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.client import HTTPConnection
from importlib.metadata import files
from typing import Any

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
SECONDS = 30
"""The time in which the driver starts."""
TAB, ENTER = "\ue004", "\ue007"
"""Keys by their numbers in WebDriver (www.w3.org/TR/webdriver2, "Keyboard actions")."""
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run")


class Chromium:
    """A window of Chromium."""

    def __init__(self, port: int) -> None:
        self._port = port
        options = {"binary": CHROMIUM, "args": list(ARGUMENTS)}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{answer['sessionId']}"

    def show(self, url: str) -> None:
        """Go to an address."""
        self._send("POST", f"{self._session}/url", {"url": url})

    @property
    def url(self) -> str:
        return str(self._send("GET", f"{self._session}/url"))

    def write(self, css: str, text: str) -> None:
        """Type into a field, or choose a file for it."""
        self._send("POST", f"{self._session}/element/{self._element(css)}/value", {"text": text})

    def click(self, css: str) -> None:
        """Click on an element."""
        self._send("POST", f"{self._session}/element/{self._element(css)}/click", {})

    def press(self, key: str, times: int = 1) -> None:
        """Press a key and let it go, once or some times."""
        strokes = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")] * times
        self._send("POST", f"{self._session}/actions", {"actions": [{"type": "key", "id": "keys", "actions": strokes}]})

    def run(self, script: str) -> Any:
        """Return the result of a script."""
        return self._send("POST", f"{self._session}/execute/sync", {"script": script, "args": []})

    def faults(self) -> list[str]:
        """Return what keeps people from using the page, by axe (rules of WCAG 2.2 A and AA, and best practices)."""
        self.run(axe())
        script = (
            "return axe.run(document).then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html).slice(0, 3)]))"
        )
        return [f"{rule}: {nodes}" for rule, nodes in self.run(script)]

    def cookies(self) -> dict[str, dict[str, Any]]:
        """Return the cookies of the page by their names."""
        return {each["name"]: each for each in self._send("GET", f"{self._session}/cookie")}

    def complaints(self) -> list[str]:
        """Return what the browser has complained of since the last call."""
        return [str(each["message"]) for each in self._send("POST", f"{self._session}/se/log", {"type": "browser"})]

    def resize(self, width: int, *, dark: bool = False) -> None:
        """Show pages as a screen of so many points would, in light or dark colours."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        colours = {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
        for command, how in (("setDeviceMetricsOverride", size), ("setEmulatedMedia", colours)):
            self._send("POST", f"{self._session}/goog/cdp/execute", {"cmd": f"Emulation.{command}", "params": how})

    def close(self) -> None:
        """Close the window."""
        self._send("DELETE", self._session)

    def _element(self, css: str) -> str:
        element = self._send("POST", f"{self._session}/element", {"using": "css selector", "value": css})
        return str(next(iter(element.values())))

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        finally:
            connection.close()
        assert answer.status == 200, value
        return value


@cache
def axe() -> str:
    """Return axe-core, of a package of which nothing else is used."""
    (path,) = [each for each in files("axe-playwright-python") or () if each.name == "axe.min.js"]
    return path.read_text(encoding="utf-8")


@contextmanager
def chromium() -> Iterator[Chromium]:
    """Open a window, and close it with its driver."""
    assert DRIVER
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL) as driver:
        try:
            for _ in range(SECONDS * 10):
                with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            window = Chromium(port)
            try:
                yield window
            finally:
                window.close()
        finally:
            driver.terminate()
