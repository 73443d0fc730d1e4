"""Requests of pages to S3: a bucket's CORS rules and a request's headers in, the headers for the browser out.

docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html: the first rule that has the origin, the method and all asked
headers answers a preflight, else 403; other requests are answered anyhow, with the headers of their rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from infra.local.loopback import Environ
from infra.local.s3.rules import Refusal

FORBIDDEN = Refusal("403 Forbidden", "AccessForbidden", "CORSResponse: This CORS request is not allowed.")
PREFIX = "access-control-"


@dataclass(frozen=True, slots=True)
class CorsRule:
    """One rule of a bucket, as the template writes it; without wildcards."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...]
    exposed: tuple[str, ...]

    @classmethod
    def of(cls, written: Mapping[str, Sequence[str]]) -> "CorsRule":
        """Return a rule of a template."""
        names = ("AllowedOrigins", "AllowedMethods", "AllowedHeaders", "ExposedHeaders")
        return cls(*(tuple(written.get(name, ())) for name in names))

    def answer(self, environ: Environ) -> list[tuple[str, str]] | None:
        """Return the headers for the browser; None if the rule does not let the request's page ask."""
        origin, is_preflight = environ.get("HTTP_ORIGIN"), environ["REQUEST_METHOD"] == "OPTIONS"
        method = environ.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD") if is_preflight else environ["REQUEST_METHOD"]
        asked = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "") if is_preflight else ""
        names = {name.strip().lower() for name in asked.split(",") if name.strip()}
        if origin not in self.origins or method not in self.methods or not names <= set(self.headers):
            return None
        return [
            ("Access-Control-Allow-Origin", str(origin)),
            ("Access-Control-Allow-Methods", ", ".join(self.methods)),
            ("Access-Control-Allow-Headers", ", ".join(sorted(names))),
            ("Access-Control-Expose-Headers", ", ".join(self.exposed)),
            ("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"),
        ]


def answered(rules: Sequence[CorsRule], environ: Environ) -> list[tuple[str, str]] | None:
    """Return the headers of the first rule that lets a page ask; None if no rule does."""
    return next((headers for rule in rules if (headers := rule.answer(environ)) is not None), None)
