"""Lambda's side: each module a function, named for the event that starts it."""
