"""A workbook of a spreadsheet and its agreed sheet in, lines of CSV or a problem out; imports plan and problem."""
