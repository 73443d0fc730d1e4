"""The errors of the EMR Serverless API, as its model names them.

EmrError
    ValidationException        400: the request breaks a rule of the API, or asks for what the double does not play
    ResourceNotFoundException  404: no such application or job run
    AccessDeniedException      403: the caller's role does not allow it
"""


class EmrError(Exception):
    """An error answer; its class name is the code that clients see."""

    status = "500 Internal Server Error"


class ValidationException(EmrError):
    """The request breaks a rule of the API, or needs a feature that the double does not emulate."""

    status = "400 Bad Request"


class ResourceNotFoundException(EmrError):
    """There is no such application or job run."""

    status = "404 Not Found"


class AccessDeniedException(EmrError):
    """The caller's role does not allow it; an error that every AWS service has."""

    status = "403 Forbidden"
