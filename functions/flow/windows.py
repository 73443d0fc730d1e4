"""Windows in which drops of a plan gather: a plan in, its open window and the delayed message of its end out."""

from __future__ import annotations

from datetime import timedelta

from functions.ports import Ports
from functions.ports.batches import Window
from functions.ports.clock import stamp


def open_window(ports: Ports, plan: str, seconds: int) -> None:
    """Open a plan's window, or that of its trials, unless it is open, and send `batch_due` a message for its end."""
    window = next_window(ports, plan, seconds)
    if ports.ledger.open_window(window):
        ports.delays.send(window, seconds)


def next_window(ports: Ports, plan: str, seconds: int) -> Window:
    """Return the window that would open now."""
    now = ports.clock.now()
    return Window(plan, stamp(now), stamp(now + timedelta(seconds=seconds)), trial=ports.zones.trial)


def quiet(ports: Ports, plan: str) -> bool:
    """Return True if this process staged no drop of a plan for two windows, and count one now: then few are open."""
    line = f"{plan} trial" if ports.zones.trial else plan
    now, last = ports.clock.now(), ports.seen.get(line)
    ports.seen[line] = now
    return last is None or now - last > timedelta(seconds=2 * ports.window_seconds)
