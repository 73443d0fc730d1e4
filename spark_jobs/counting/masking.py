"""The text in place of a classified value, in evidence, samples and figures."""

from __future__ import annotations

MASK = "***"
