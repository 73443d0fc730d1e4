"""Every exception of dropgate: one root, one leaf for each decision that a caller has to take.

DropgateError
├── DocumentInvalid      a document of ours (plan, request, result, pointer) cannot be read: stop, a person must look
├── ContractInvalid      a contract file cannot be compiled: its steward mends what the findings name
├── PatternInvalid       a key pattern is not written in our language: the steward mends the contract
├── StaleWrite           somebody else wrote the item first: read again and decide anew
├── HeldUp               a person has paused the contract or its producer: leave it until it is resumed
├── DestinationTaken     the object to be written is already there: look whose it is
├── ObjectGone           the object version to be read is not there any more
├── ObjectReplaced       another object lies in the place of the one to be read: never use it
├── UploadGone           a copy in parts was ended or broken off: look what lies there, or begin anew
├── ObjectUnreadable     its uploader stored the object in a way that nobody here can read: refuse it
│   └── ObjectArchived   it lies in an archive of S3: refuse it, and say so
├── TableUnlike          a table cannot take what its contract says now: a person must look
└── ServiceUnavailable   a service did not answer, or refused for now: let the event come again
"""

from __future__ import annotations


class DropgateError(Exception):
    """The root; its text is one sentence for a person."""


class DocumentInvalid(DropgateError):
    """A document that we wrote ourselves does not have the shape that this version reads."""


class ContractInvalid(DropgateError):
    """A contract file that cannot be compiled; the text names the first finding."""


class PatternInvalid(DropgateError):
    """A key pattern that cannot be read; the text says what to write instead."""


class StaleWrite(DropgateError):
    """A conditional write found another version than the one that was read (fencing)."""


class HeldUp(DropgateError):
    """A new batch is of a contract or a producer that somebody has paused."""


class DestinationTaken(DropgateError):
    """A conditional write of an object found one in its place."""


class ObjectGone(DropgateError):
    """The pinned version of an object does not exist (any more)."""


class ObjectReplaced(DropgateError):
    """Another object lies where the one that was recorded lay."""


class UploadGone(DropgateError):
    """A copy in parts is no longer under way."""


class ObjectUnreadable(DropgateError):
    """The object is archived, or encrypted with a key that is not ours, or too large for one copy."""


class ObjectArchived(ObjectUnreadable):
    """The object is archived (a storage class of S3 Glacier), and was not restored."""


class TableUnlike(DropgateError):
    """The columns of a table differ from the contract's by more than new ones; the text says in what."""


class ServiceUnavailable(DropgateError):
    """A call that may succeed later; nothing is known to have happened."""
