"""Mail by Amazon SES: the Mailer port on a boto3 client of its API v2.

The client must not try again by itself: a mail whose reply was lost would come twice, and nobody would know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, EndpointConnectionError

from functions.aws.answers import code
from functions.delivery.mime import mime
from functions.ports.notices import MESSAGE_TAG, Answer

if TYPE_CHECKING:
    from functions.ports.clock import Clock
    from functions.ports.notices import Mail

FOR_NOW = frozenset(
    {"TooManyRequestsException", "LimitExceededException", "SendingPausedException", "ThrottlingException"}
)
"""Refusals that end by themselves, or by somebody who resumes sending (Amazon SES API v2, SendEmail, "Errors")."""


class SesMailer:
    """Mail from one address, by a configuration set that reports bounces if there is one."""

    def __init__(self, client: Any, sender: str, configuration_set: str, clock: Clock) -> None:
        self._ses = client
        self._sender = sender
        self._named = {"ConfigurationSetName": configuration_set} if configuration_set else {}
        self._clock = clock

    def send(self, mail: Mail) -> Answer:
        """Send a mail; the answer names SES's id of it, and a tag that events of SES repeat names ours."""
        if not self._sender:
            return Answer("refused", "no mail is set up: the parameter MailFrom is empty")
        try:
            body = mime(mail, self._sender, self._clock.now())
            sent = self._ses.send_email(
                FromEmailAddress=self._sender,
                Destination={"ToAddresses": [mail.to]},
                Content={"Raw": {"Data": body}},
                EmailTags=[{"Name": MESSAGE_TAG, "Value": mail.id}],
                **self._named,
            )
        except ValueError:
            return Answer("refused", "the address is no mail address")
        except ClientError as error:
            return _refusal(error)
        except (ConnectTimeoutError, EndpointConnectionError) as error:
            return Answer("later", f"SES did not answer: {type(error).__name__}")
        except BotoCoreError as error:
            return Answer("later", f"SES did not answer: {type(error).__name__}", unsure=True)
        return Answer("sent", f"SES took it as {sent['MessageId']}")


def _refusal(error: ClientError) -> Answer:
    metadata: Any = error.response.get("ResponseMetadata", {})
    ours = metadata.get("HTTPStatusCode", 400) >= 500
    message = error.response.get("Error", {}).get("Message", "")
    text = f"SES answered {code(error)}: {message:.200}"
    return Answer("later" if ours or code(error) in FOR_NOW else "refused", text, unsure=ours)
