"""Authoring: ODCS documents in, findings and plans out. For the command line and deployment, never at run time."""
