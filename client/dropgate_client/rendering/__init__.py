"""Rendering for a terminal: values and documents in, text out; nothing is read, sent or printed. Pure.

The texts are those of `dropgate test`, `show` and `drops`; a test of dropgate holds them together.
"""
