"""The one error of reading an SQL text: a message and a fix."""


class Unreadable(Exception):
    """The reason why Spark cannot or must not read a text: the message, and what to write instead."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message, self.fix = message, fix
