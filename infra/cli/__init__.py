"""The command line `dropgate`: a module for each command, each one library call plus rendering."""
