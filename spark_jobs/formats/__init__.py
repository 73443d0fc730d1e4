"""Files in, lines with cells and values out, one module for each format; imports spark, counting and rules."""
