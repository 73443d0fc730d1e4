"""The ports on AWS: each module one service, its client handed in."""
