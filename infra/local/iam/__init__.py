"""Requests and policies in, allowed or denied out."""
