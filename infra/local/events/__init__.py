"""EventBridge, pipes, schedules and queue polling: events in, invocations of functions out."""
