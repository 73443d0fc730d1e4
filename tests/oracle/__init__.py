"""A second opinion on every file, in plain Python, held against what the job says."""
