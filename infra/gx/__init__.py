"""What dropgate brings to Great Expectations: its contracts, as an expectation that any suite can have."""
