"""The plug-in for Great Expectations: its contracts, as an expectation that any suite can have."""
