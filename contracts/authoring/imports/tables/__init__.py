"""Tables of databases, catalogs and packages in, ODCS documents out; imports only what `imports` may import."""
