"""`dropgate reject`: withdraw a promoted drop by the word of a person."""

from infra.cli.overruling import reject as command

__all__ = ["command"]
