"""SQL texts of a contract in, SQL that Spark may run out; imports document and patterns."""
