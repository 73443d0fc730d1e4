"""`dropgate accept`: promote a rejected drop by the word of a person."""

from infra.cli.overruling import accept as command

__all__ = ["command"]
