"""All exceptions of dropgate: one root, one leaf for each decision that a caller must take.

DropgateError
├── DocumentInvalid      a document of dropgate (plan, request, result, pointer) cannot be read: stop, a person must act
├── ContractInvalid      a contract file cannot be compiled: its steward corrects the findings
├── PatternInvalid       a key pattern cannot be read: the steward corrects the contract
├── StaleWrite           another process wrote the item first: read and decide again
├── HeldUp               a person has paused the contract or its producer: leave it until it is resumed
├── DestinationTaken     the object to be written already exists: check whose it is
├── ObjectGone           the object version to be read no longer exists
├── ObjectReplaced       another object has replaced the one to be read: never use it
├── UploadGone           a multipart copy was completed or aborted: check the destination, or start again
├── ObjectUnreadable     the object is stored in a way that dropgate cannot read: refuse it
│   └── ObjectArchived   the object is in an archive of S3: refuse it, with that reason
├── TableUnlike          a table cannot take the columns of its contract: a person must act
└── ServiceUnavailable   a service did not answer, or refused for now: let the event be delivered again
"""

from __future__ import annotations


class DropgateError(Exception):
    """The root; its text is one sentence for a person."""


class DocumentInvalid(DropgateError):
    """A document that dropgate wrote does not have the structure that this version reads."""


class ContractInvalid(DropgateError):
    """A contract file that cannot be compiled; the text names the first finding."""


class PatternInvalid(DropgateError):
    """A key pattern that cannot be read; the text gives the fix."""


class StaleWrite(DropgateError):
    """A conditional write met another version than the one that was read (fencing)."""


class HeldUp(DropgateError):
    """A new batch belongs to a contract or a producer that a person has paused."""


class DestinationTaken(DropgateError):
    """A conditional write of an object met an existing object."""


class ObjectGone(DropgateError):
    """The pinned version of an object does not exist (any more)."""


class ObjectReplaced(DropgateError):
    """Another object is under the key of the recorded one."""


class UploadGone(DropgateError):
    """A multipart copy is no longer in progress."""


class ObjectUnreadable(DropgateError):
    """The object is archived, or encrypted with a foreign key, or too large for one copy."""


class ObjectArchived(ObjectUnreadable):
    """The object is archived (a storage class of S3 Glacier), and was not restored."""


class TableUnlike(DropgateError):
    """The columns of a table differ from the contract's by more than new columns; the text names the difference."""


class ServiceUnavailable(DropgateError):
    """A call that may succeed later; nothing is known to have happened."""
