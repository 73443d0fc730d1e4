"""Authoring: ODCS documents in, findings and plans out. For the command line and the deployment only, never at run time."""
