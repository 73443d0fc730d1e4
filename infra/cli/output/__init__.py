"""The output of commands: values in; text, tables and reports for CI out."""
