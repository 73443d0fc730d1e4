"""Ledger, buckets and tables in, their differences and repairs out; imports flow, schedule and what they import."""
