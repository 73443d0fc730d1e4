"""ODCS properties in, typed properties and checks of single values out; imports document and patterns."""
