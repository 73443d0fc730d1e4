"""The checkout in, the archives that are deployed out, under build/."""
