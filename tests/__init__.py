"""The tests in rings: unit (fakes), integration (emulated AWS, local Spark), e2e (the whole stack)."""
