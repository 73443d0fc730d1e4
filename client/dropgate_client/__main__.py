"""`python -m dropgate_client`: the command line."""

from __future__ import annotations

from dropgate_client.cli.main import run

if __name__ == "__main__":
    run()
