"""The plug-in for Great Expectations: data contracts as an expectation for any suite."""
