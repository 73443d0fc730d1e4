"""Arguments and options that several commands share: words of a command line in, values out."""
