"""Columns with personal data: a name, a type and some values in; what they seem to be of a person, or nothing, out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

CLASSIFICATION = "personal"
IBAN = re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?")
"""The form of ISO 13616; its check digits are held by `is_iban`."""
PHONE = re.compile(r"(?:\+|00|0|\()[0-9][0-9 ()/.-]{5,18}")
OF_PHONES = {"phone", "telephone", "tel", "telefon", "mobile", "mobil", "handy", "fax", "celular", "telefone"}
OF_MAILS = {"mail", "email"}
OF_PEOPLE = {
    *("firstname", "lastname", "surname", "forename", "givenname", "familyname", "fullname", "middlename"),
    *("vorname", "nachname", "familienname", "prenom", "sobrenome", "apellido", "apellidos", "customername"),
    *("contactname", "accountholder", "kontoinhaber", "personname", "patientname", "employeename", "username"),
}
"""Names of columns of names of people, without marks between their words."""
MOST = 100
"""Values that are looked at."""


def personal(words: Sequence[str], kind: str, form: str | None, values: Collection[str]) -> str | None:
    """Return what the values of a column are of a person, in words; None if they do not seem to be personal.

    `words` are those of the column's name, `form` the format of its texts.
    """
    if kind != "string":
        return "phone numbers, by the name" if kind == "integer" and OF_PHONES & {*words} else None
    some = [*values][:MOST]
    if form == "email" or OF_MAILS & {*words}:
        return "e-mail addresses"
    if some and all(map(is_iban, some)):
        return "IBANs, by their check digits"
    if OF_PHONES & {*words} and some and all(map(PHONE.fullmatch, some)):
        return "phone numbers"
    pairs = {"".join(pair) for pair in pairwise(words)}
    return "names of people, by the name of the column" if OF_PEOPLE & ({*words} | pairs) else None


def is_iban(text: str) -> bool:
    """Return True if a text is an IBAN with its check digits (ISO 13616: modulo 97 of ISO 7064)."""
    if not IBAN.fullmatch(text):
        return False
    bare = text.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1
