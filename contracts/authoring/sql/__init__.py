"""SQL texts of contracts, character by character: a text in; what the parser may see, and what its literals mean, out.

It imports nothing of the other rooms of authoring; they read expressions and queries on top of it.
"""
