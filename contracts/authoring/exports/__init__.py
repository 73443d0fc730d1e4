"""Exports of contracts: a contract and its plan in, a text in another format and its losses out."""
