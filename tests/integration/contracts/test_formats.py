"""The formats of text in the engine that runs them: each accepts and refuses the right texts of any length."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.values.text_formats import TEXT

GOOD = {
    "email": [
        "a@b.co",
        "first.last+tag@sub.example-site.org",
        "!#$%&'*+/=?^_`{|}~-@example.org",
        "1@3m.com",
        "x" * 64 + "@example.org",
        "a@xn--mnchen-3ya.de",
    ],
    "uri": [
        "https://example.org",
        "HTTP://user:pw@example.org:8080/a/b;c=1?q=%20&r=/?#frag/?",
        "http://[2001:db8::7]/c=GB",
        "http://[v1.fe:ed]/",
        "http://192.0.2.1:/",
        "mailto:name@example.org",
        "urn:isbn:0451450523",
        "file:///etc/hosts",
        "tel:+1-816-555-1212",
        "s3://bucket/key",
        "a:",
        "a:b//c",
        "http://example.org//a//b",
        "http://a%2fb/",
    ],
    "uuid": [
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        "0" * 8 + "-0000" * 4 + "0" * 8,
    ],
    "ipv4": ["0.0.0.1", "255.255.255.255", "192.0.2.1", "10.100.249.99"],
    "ipv6": [
        "::",
        "::1",
        "1::",
        "2001:db8:0:0:0:0:0:1",
        "2001:DB8::1",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1:2:3::5:6:7:8",
        "::ffff:192.0.2.128",
        "1:2:3:4:5:6:192.0.2.1",
        "64:ff9b::192.0.2.33",
    ],
    "hostname": [
        "localhost",
        "www.example.org",
        "3com.com",
        "a-b.c--d.x",
        "xn--mnchen-3ya.de",
        "a" * 63 + ".b",
        "1.2.3.4a",
        "a." * 126 + "b",
    ],
    "byte": ["", "TQ==", "TWE=", "TWFu", "+/+/", "ZHJvcGdhdGU="],
}
BAD = {
    "email": [
        "",
        "a",
        "@example.org",
        "a@",
        "a@localhost",
        "a@@example.org",
        "a@b@example.org",
        ".a@example.org",
        "a.@example.org",
        "a..b@example.org",
        "a b@example.org",
        "a@-example.org",
        "a@example-.org",
        "a@example..org",
        "a@example.org.",
        "a@192.0.2.1",
        "a@[192.0.2.1]",
        '"a"@example.org',
        "<a@example.org>",
        "a@example.org\n",
        " a@example.org",
        "x" * 65 + "@example.org",
        "a@" + "b" * 64 + ".org",
        "a@" + "b." * 130 + "org",
        "m\u00fcller@example.org",
        "a@m\u00fcnchen.de",
    ],
    "uri": [
        "",
        "example.org",
        "/a/b",
        "//example.org/a",
        "1http://example.org",
        "http//example.org",
        ":a",
        "http://exa mple.org",
        "http://example.org/a b",
        "http://example.org/%zz",
        "http://example.org/%2",
        "http://[::1",
        "http://[1:2]/",
        "http://example.org:80a/",
        "http://a@b@c/",
        "http://example.org/[a]",
        "http://example.org/#a#b",
        "C:\\temp",
        "http://m\u00fcnchen.de/",
        "http://example.org/\n",
        "http://example.org/<a>",
    ],
    "uuid": [
        "",
        "f81d4fae7dec11d0a76500a0c91e6bf6",
        "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n",
        "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "f81d4fae-7dec-11d0-a76500a0-c91e6bf6",
    ],
    "ipv4": [
        "",
        "256.0.0.1",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "1.2.3.4 ",
        "1.2.3.4\n",
        "1.2.3.4/24",
        "1..3.4",
        "\u0661.2.3.4",
        "0x7f.0.0.1",
    ],
    "ipv6": [
        "",
        ":",
        ":::",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1::",
        "1::2::3",
        "12345::",
        "g::",
        "::1.2.3",
        "1.2.3.4::",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "fe80::1%eth0",
        "[::1]",
        "::1/128",
        "::1\n",
        ":1",
        "1:",
    ],
    "hostname": [
        "",
        ".",
        "a.",
        ".a",
        "a..b",
        "-a",
        "a-",
        "a_b",
        "a b",
        "a" * 64,
        "1.2.3.4",
        "42",
        "a.1",
        "a." * 127 + "b",
        "m\u00fcnchen.de",
        "a\n",
        "http://a",
    ],
    "byte": ["T", "TQ", "TQ=", "TQ===", "TR==", "TWF=", "====", "TW Fu", "TWFu\n", "-_-_", "TQ==TQ==", "\u00e4AAA"],
}
CASES = [(name, text, table is GOOD) for table in (GOOD, BAD) for name, texts in table.items() for text in texts]


@pytest.fixture(scope="module")
def java(spark: SparkSession) -> dict[str, Any]:
    """Return the patterns compiled by Java, by name."""
    jvm: Any = spark.sparkContext._jvm
    return {name: jvm.java.util.regex.Pattern.compile(form.pattern) for name, form in TEXT.items()}


def test_every_format_has_good_and_bad_texts() -> None:
    assert set(GOOD) == set(BAD) == set(TEXT)


@pytest.mark.parametrize(("name", "text", "good"), CASES)
def test_text_is_of_a_format_or_not(java: dict[str, Any], name: str, text: str, good: bool) -> None:
    assert java[name].matcher(text).find() is good


@pytest.mark.parametrize("name", TEXT)
def test_example_is_of_its_format(java: dict[str, Any], name: str) -> None:
    assert java[name].matcher(TEXT[name].example).find()


@pytest.mark.parametrize("part", ["a", "a.", "a-", "a:", "%41", "/", "A" * 4, "1.", "::", "@", "a@b."])
def test_long_texts_need_no_stack_and_little_time(java: dict[str, Any], part: str) -> None:
    """Match a hundred thousand rounds, at which a recursive group of Java would overflow the stack."""
    for begin in ("", "a@", "http://", "http://h/", "a:?"):
        for pattern in java.values():
            pattern.matcher(begin + part * 100_000 + "!").find()
