"""What commands print: values in, text, tables and reports for CI out."""
