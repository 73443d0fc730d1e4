"""The one error of reading an SQL text: a message and a fix."""


class SqlRefused(Exception):
    """The text cannot or must not be read as SQL; has the message and the fix."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message, self.fix = message, fix
