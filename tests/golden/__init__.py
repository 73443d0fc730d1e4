"""Documents as earlier versions wrote them: every later version reads them (test_golden.py)."""
