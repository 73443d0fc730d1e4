"""The client of dropgate's HTTP API: files in, verdicts and receipts out; standard library, click and urllib3 alone.

`Client` is for programs, `cli` for people. Nothing here imports dropgate's own code: a producer has only this package.
"""

from __future__ import annotations

from dropgate_client.client import Client
from dropgate_client.errors import ClientError
from dropgate_client.values import Claim, Drop, Finding, Problem, Refusal, Sent

__all__ = ["Claim", "Client", "ClientError", "Drop", "Finding", "Problem", "Refusal", "Sent"]
