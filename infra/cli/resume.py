"""`dropgate resume`: see `pause`."""

from infra.cli.pause import resume as command

__all__ = ["command"]
