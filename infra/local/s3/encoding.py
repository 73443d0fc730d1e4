"""Lists of versions whose keys are encoded as the client asks, which moto leaves out: its answers in and out.

XML has no way to write most control characters. S3 encodes keys if the request has `encoding-type=url`, as boto3's
always have; moto writes such a key unencoded, and the whole list fails as long as one is in the bucket.

docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from moto.core.responses import ActionResult
from moto.s3.responses import S3Response

_LIST: Any = S3Response.list_object_versions
ENCODED = ("Delimiter", "KeyMarker", "NextKeyMarker", "Prefix")
WITHIN = {"Versions": "Key", "DeleteMarkers": "Key", "CommonPrefixes": "Prefix"}


def encode_lists() -> None:
    """Make moto encode lists of versions from now on."""
    response: Any = S3Response
    response.list_object_versions = _list_object_versions


def encoded(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with its keys in the encoding of URLs."""
    whole = {name: quote(answer[name]) for name in ENCODED if answer.get(name)}
    each = {
        name: [{**item, inner: quote(item[inner])} for item in answer[name]]
        for name, inner in WITHIN.items()
        if name in answer
    }
    return {**answer, **whole, **each, "EncodingType": "url"}


def _list_object_versions(response: Any) -> Any:
    if response.querystring.get("encoding-type") != ["url"]:
        return _LIST(response)
    serialized = response.serialized

    def of_lists(action: Any) -> Any:
        """Return the text of a list in the encoding of URLs, and that of an error as it is."""
        return serialized(ActionResult(encoded(action.result)) if isinstance(action.result, Mapping) else action)

    response.serialized = of_lists
    return _LIST(response)
