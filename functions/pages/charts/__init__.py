"""Charts: numbers in, the places of marks in a drawing out. Pure; templates draw them as SVG, and list the numbers."""
