"""Lines in Arrow vectors in, those that surely pass or fail a check out; imports spark, rules and formats."""
