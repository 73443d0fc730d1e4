"""`dropgate accept`: promote a rejected drop by a person's decision."""

from infra.cli.overruling import accept as command

__all__ = ["command"]
