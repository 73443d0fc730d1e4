"""`dropgate demo`: real files, the flow that they take, and their ends."""
