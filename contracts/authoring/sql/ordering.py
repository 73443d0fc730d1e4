"""Comparisons of comparisons without brackets: tokens in, an error out if Spark would read them in another order.

Spark has one precedence level for all comparisons, and reads the text after `like` or `between ... and` as far as
possible; the parser has other levels, and adds its own brackets. So chains are refused before the text is parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import TokenType

from contracts.authoring.sql.refusal import SqlRefused

COMPARISONS = {
    *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE, TokenType.NULLSAFE_EQ),
    *(TokenType.IS, TokenType.IN, TokenType.BETWEEN, TokenType.LIKE, TokenType.ILIKE, TokenType.RLIKE),
}
OPENING = {TokenType.L_PAREN, TokenType.CASE, TokenType.L_BRACKET}
CLOSING = {TokenType.R_PAREN, TokenType.END, TokenType.R_BRACKET}
PARTING = {
    *(TokenType.AND, TokenType.OR, TokenType.COMMA, TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.SELECT),
    *(TokenType.FROM, TokenType.WHERE, TokenType.ON, TokenType.USING, TokenType.JOIN, TokenType.LEFT, TokenType.INNER),
    *(TokenType.HAVING, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.UNION, TokenType.ALIAS, TokenType.SEMICOLON),
}
CONSTANT = {TokenType.NULL, TokenType.TRUE, TokenType.FALSE, TokenType.UNKNOWN}
"""Constants that end the comparison after `is`."""


def refuse_chains(text: str, tokens: Sequence[Any]) -> None:
    """Refuse a second comparison next to one without brackets; raises SqlRefused."""
    open_: list[list[Any]] = [[]]
    for n, token in enumerate(tokens):
        kind = token.token_type
        if kind in OPENING:
            open_.append([])
        elif kind in CLOSING and len(open_) > 1:
            open_.pop()
        elif (
            kind is TokenType.AND
            and open_[-1]
            and open_[-1][-1].token_type is TokenType.BETWEEN
            and not any(earlier.token_type is TokenType.AND for earlier in open_[-1])
        ):
            open_[-1].append(token)
        elif kind in PARTING and not (kind is TokenType.FROM and tokens[n - 1].token_type is TokenType.DISTINCT):
            open_[-1] = []
        elif kind in COMPARISONS:
            before = [earlier for earlier in open_[-1] if earlier.token_type in COMPARISONS]
            rest = [token.token_type for token in tokens[n + 1 : n + 3]]
            rest = rest[1:] if rest[:1] == [TokenType.NOT] else rest[:1]
            # an `is` of a constant is applied to everything before it, by Spark and the parser
            ends_in_constant = kind is TokenType.IS and rest[:1] != [] and rest[0] in CONSTANT
            only = before[0].token_type if len(before) == 1 else TokenType.IS
            if before and not (ends_in_constant and only is not TokenType.IS):
                raise SqlRefused(
                    f"`{text[before[0].start : token.end + 1]:.60}` compares a comparison.",
                    "Put brackets around what belongs together.",
                )
            open_[-1].append(token)
