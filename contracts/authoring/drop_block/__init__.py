"""The `drop` block in, its settings, file sets, trailer and table out; imports document and properties."""
