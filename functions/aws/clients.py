"""The one place where clients of AWS are made: an environment in, the world's ports out.

boto3 itself reads Region, credentials and AWS_ENDPOINT_URL*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

from contracts.errors import ServiceUnavailable
from functions.aws.delta import DeltaTables
from functions.aws.dynamodb import DynamoLedger
from functions.aws.emr_serverless import EmrJobs, JobCode
from functions.aws.links import S3Links
from functions.aws.notice_book import DynamoNotices
from functions.aws.parameters import Parameters
from functions.aws.s3 import PART, S3Store
from functions.aws.ses import SesMailer
from functions.aws.sessions import DynamoSessions
from functions.aws.sqs import SqsDelays, SqsLane, SqsQueues
from functions.aws.uploads import S3Uploads
from functions.catalog import Published
from functions.delivery.smtp import SmtpMailer
from functions.delivery.web import PublicWeb
from functions.delivery.web_documents import PublicDocuments
from functions.drop import Location
from functions.keys import Zones
from functions.ports import MOST_BATCHES, EventSources, NoticePorts, Ports, ReadPorts
from functions.ports.ledger import Ledger
from functions.ports.notices import Mailer
from functions.ports.store import LARGEST_COPY, Stat

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_emr_serverless import EMRServerlessClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

AMAZON = re.compile(r"\.amazonaws\.com(\.cn)?(/|$)")
TRIES = 4
"""The tries of a call before its function fails and is tried again; deltalake by itself would try for minutes."""
AGENT = f"Boto3/{boto3.__version__} dropgate"
"""The client's name in requests. botocore makes one anew for each request, which takes a third of the CPU of a call."""
CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": TRIES}, connect_timeout=3, read_timeout=60, user_agent=AGENT
)

PRESIGNED = CONFIG.merge(Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))
UNCHECKED = CONFIG.merge(Config(parameter_validation=False))
"""For DynamoDB, which checks each attribute itself: boto3's walk through all items of a transaction is left out."""
ONCE = CONFIG.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}, read_timeout=20))
"""For calls that must not be made again by the client, as each of them sends a mail."""


class Clients:
    """The clients, each made when it is first asked for."""

    def __init__(self, session: boto3.Session | None = None) -> None:
        self._session = session or boto3.Session()

    @cached_property
    def s3(self) -> S3Client:
        """Amazon S3."""
        return self._session.client("s3", config=CONFIG)

    @cached_property
    def s3_signer(self) -> S3Client:
        """Amazon S3 for presigned requests, which are signed here and sent by others.

        Their hosts are those of buckets in their own Region, which answer without a redirect (Amazon S3 user guide,
        "Virtual hosting of buckets").
        """
        return self._session.client("s3", config=PRESIGNED)

    def s3_uploader(self, session: Mapping[str, str]) -> S3Client:
        """Return Amazon S3 for presigned uploads in a role's session.

        Hosts of buckets in their own Region take preflights of browsers without a redirect.
        """
        return self._session.client(
            "s3",
            config=PRESIGNED,
            aws_access_key_id=session["AccessKeyId"],
            aws_secret_access_key=session["SecretAccessKey"],
            aws_session_token=session["SessionToken"],
        )

    @cached_property
    def sts(self) -> Any:
        """AWS STS."""
        return self._session.client("sts", config=CONFIG)

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """Amazon DynamoDB."""
        return self._session.client("dynamodb", config=UNCHECKED)

    @cached_property
    def sqs(self) -> SQSClient:
        """Amazon SQS."""
        return self._session.client("sqs", config=CONFIG)

    @cached_property
    def emr_serverless(self) -> EMRServerlessClient:
        """Amazon EMR Serverless."""
        return self._session.client("emr-serverless", config=CONFIG)

    @cached_property
    def ssm(self) -> Any:
        """AWS Systems Manager, for its Parameter Store."""
        return self._session.client("ssm", config=CONFIG)

    @cached_property
    def sesv2(self) -> Any:
        """Amazon SES, by its API v2."""
        return self._session.client("sesv2", config=ONCE)

    def for_tables(self) -> dict[str, str]:
        """Return the options that make deltalake's own S3 client equal to ours."""
        credentials, meta = self._session.get_credentials(), self.s3.meta
        if credentials is None:
            raise ServiceUnavailable("there are no credentials for AWS")
        now, elsewhere = credentials.get_frozen_credentials(), not AMAZON.search(meta.endpoint_url)
        named = {
            "AWS_REGION": meta.region_name,
            "AWS_ACCESS_KEY_ID": now.access_key,
            "AWS_SECRET_ACCESS_KEY": now.secret_key,
            "AWS_SESSION_TOKEN": now.token,
            "AWS_CONDITIONAL_PUT": "etag",
            "max_retries": str(TRIES - 1),
            "AWS_ENDPOINT_URL": meta.endpoint_url if elsewhere else None,
            "AWS_ALLOW_HTTP": "true" if meta.endpoint_url.startswith("http:") else None,
        }
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def zones_from(environment: Mapping[str, str]) -> Zones:
    """Return the zones that DROPGATE_LANDING and its like name."""
    return Zones(**{name: environment[f"DROPGATE_{name.upper()}"] for name in Zones.__slots__})


def ledger_from(environment: Mapping[str, str], clients: Clients) -> DynamoLedger:
    """Return only the ledger, for callers that only read."""
    return DynamoLedger(clients.dynamodb, environment["DROPGATE_TABLE"])


def event_sources_from(environment: Mapping[str, str], clients: Clients) -> EventSources:
    """Return what events are made from."""
    store, zones = S3Store(clients.s3, ()), zones_from(environment)
    return EventSources(zones, ledger_from(environment, clients), Published(store, zones.catalog))


def ports_from(environment: Mapping[str, str], clients: Clients, ledger: Ledger | None = None) -> Ports:
    """Return all ports."""
    arns = (environment[name].split(":") for name in ("DROPGATE_JOB_ROLE", "DROPGATE_DATA_KEY"))
    accounts = {parts[4] for parts in arns if len(parts) > 4}
    part = int(environment.get("DROPGATE_COPY_PART", PART))
    zones, store = zones_from(environment), S3Store(clients.s3, accounts, part)
    code = JobCode(
        application=environment["DROPGATE_APPLICATION"],
        role=environment["DROPGATE_JOB_ROLE"],
        entry=environment["DROPGATE_JOB_ENTRY"],
        archive=environment["DROPGATE_JOB_ARCHIVE"],
        environment=environment.get("DROPGATE_JOB_ENVIRONMENT") or None,
        arrow=environment.get("DROPGATE_JOB_ARROW") or None,
    )
    small = environment.get("DROPGATE_LANE_QUEUE", "")
    lane = SqsLane(clients.sqs, small, environment.get("DROPGATE_ENDED_QUEUE", "")) if small else None
    return Ports(
        zones=zones,
        store=store,
        ledger=ledger or ledger_from(environment, clients),
        jobs=EmrJobs(clients.emr_serverless, code),
        delays=SqsDelays(clients.sqs, environment["DROPGATE_BATCH_QUEUE"]),
        clock=SystemClock(),
        catalog=Published(store, zones.catalog),
        tables=DeltaTables(clients.for_tables),
        window_seconds=int(environment["DROPGATE_WINDOW_SECONDS"]),
        patience_seconds=int(environment.get("DROPGATE_PATIENCE_SECONDS", "60")),
        most_drops=int(environment["DROPGATE_MOST_DROPS"]),
        most_batches=int(environment["DROPGATE_MOST_BATCHES"]),
        largest_copy=int(environment.get("DROPGATE_LARGEST_COPY", LARGEST_COPY)),
        masks_evidence=environment.get("DROPGATE_MASK_EVIDENCE") == "true",
        lane=lane,
        lane_bytes=int(environment.get("DROPGATE_LANE_BYTES", "0")),
    )


def read_ports_from(environment: Mapping[str, str], clients: Clients) -> ReadPorts:
    """Return what the API reads from; DROPGATE_ISSUER_ORIGIN is the one origin of an issuer that need not be public."""
    store, zones = S3Store(clients.s3), zones_from(environment)
    web = PublicDocuments(environment.get("DROPGATE_ISSUER_ORIGIN"))
    ledger = ledger_from(environment, clients)
    clock, links = SystemClock(), S3Links(clients.s3_signer)
    uploads = S3Uploads(clients.sts, clients.s3_uploader, environment.get("DROPGATE_UPLOAD_ROLE", ""), clock)
    folder = environment.get("DROPGATE_LINKS", "/dropgate/links/")
    link_keys, stack = Parameters(clients.ssm, folder, clock), folder.split("/")[1]
    notices = DynamoNotices(clients.dynamodb, environment.get("DROPGATE_NOTICES_TABLE", ""))
    arns = environment.get("DROPGATE_QUEUES", "")
    queues = SqsQueues(clients.sqs, arns.split(",") if arns else ())
    catalog = Published(store, zones.catalog)
    return ReadPorts(
        zones, store, ledger, catalog, clock, web, links, uploads, notices, queues, link_keys=link_keys, stack=stack
    )


def sessions_from(environment: Mapping[str, str], clients: Clients) -> DynamoSessions:
    """Return the sessions of the page."""
    return DynamoSessions(clients.dynamodb, environment["DROPGATE_SESSIONS_TABLE"])


def upload_origin(environment: Mapping[str, str], clients: Clients) -> str:
    """Return the origin of addresses for uploads: the landing bucket's own host, or the endpoint of a laptop."""
    endpoint = urlsplit(clients.s3.meta.endpoint_url)
    bucket = urlsplit(environment["DROPGATE_LANDING"]).netloc
    own = f"{bucket}." if AMAZON.search(clients.s3.meta.endpoint_url) else ""
    return f"{endpoint.scheme}://{own}{endpoint.netloc}"


class UnseenFiles(S3Store):
    """The store for callers that have documents and no files: they learn nothing of a file, as without the right."""

    def head(self, at: Location) -> Stat | None:
        raise ServiceUnavailable(f"nobody may look at {at.uri} from here; the schedule does")


def recording_ports_from(environment: Mapping[str, str], clients: Clients) -> Ports:
    """Return the ports for acts that are recorded in the ledger and carried out by the schedule."""
    zones, store = zones_from(environment), UnseenFiles(clients.s3)
    return Ports(
        zones=zones,
        store=store,
        ledger=ledger_from(environment, clients),
        jobs=EmrJobs(clients.emr_serverless, JobCode("", "", "", "", None, None)),
        delays=SqsDelays(clients.sqs, ""),
        clock=SystemClock(),
        catalog=Published(store, zones.catalog),
        tables=DeltaTables(clients.for_tables),
        most_batches=int(environment.get("DROPGATE_MOST_BATCHES", MOST_BATCHES)),
    )


def notice_ports_from(environment: Mapping[str, str], clients: Clients) -> NoticePorts:
    """Return what notices for people need.

    DROPGATE_SMTP and DROPGATE_RECEIVERS are set on a laptop and in tests alone: the mail server in place of SES, and
    the one origin that requests may go to although it is not public, which PagerDuty's events go to as well.
    """
    store, clock, folder = S3Store(clients.s3), SystemClock(), environment["DROPGATE_SECRETS"]
    receivers = environment.get("DROPGATE_RECEIVERS") or None
    return NoticePorts(
        stack=environment.get("POWERTOOLS_SERVICE_NAME", "dropgate"),
        book=DynamoNotices(clients.dynamodb, environment["DROPGATE_NOTICES_TABLE"]),
        catalog=Published(store, environment["DROPGATE_CATALOG"]),
        documents=store,
        mailer=_mailer(environment, clients, clock),
        web=PublicWeb(clock, receivers),
        secrets=Parameters(clients.ssm, folder, clock),
        clock=clock,
        secrets_folder=folder,
        pagerduty=f"{receivers}/v2/enqueue" if receivers else None,
        link_keys=Parameters(clients.ssm, environment.get("DROPGATE_LINKS", ""), clock),
        api=environment.get("DROPGATE_API", ""),
    )


def _mailer(environment: Mapping[str, str], clients: Clients, clock: SystemClock) -> Mailer:
    sender = environment.get("DROPGATE_MAIL_FROM", "")
    if server := environment.get("DROPGATE_SMTP"):
        return SmtpMailer(server, sender or "dropgate@localhost", clock)
    return SesMailer(clients.sesv2, sender, environment.get("DROPGATE_MAIL_SET", ""), clock)
