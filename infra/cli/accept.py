"""`dropgate accept`: promote a rejected drop by a person's decision."""

from infra.cli.override import accept as command

__all__ = ["command"]
