"""The kernel: plans, requests, results and verdicts as plain values; at run time it needs the standard library only."""
