"""`dropgate reject`: withdraw a promoted drop by a person's decision."""

from infra.cli.override import reject as command

__all__ = ["command"]
