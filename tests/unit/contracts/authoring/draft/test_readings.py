"""Words whose bytes do not say their encoding: how they read in others."""

from __future__ import annotations

# ruff: noqa: RUF001 (letters of other scripts)
import re
from itertools import pairwise
from pathlib import Path

import pytest

from contracts.authoring.draft import letters, readings
from contracts.files import encodings
from infra.sampling.sample_heads import LARGE, by_letters, head_of
from tests.oracle.test_drafts import contract_of, verdict

WORDS = {
    "german": ("München", "Köln", "Düsseldorf", "Straße", "ärztlich", "Übung"),
    "french": ("Élodie", "garçon", "café", "hôtel", "naïf"),
    "spanish": ("España", "niño", "mañana", "José"),
    "polish": ("Łódź", "Kraków", "Gdańsk", "Wrocław", "Żywiec"),
    "czech": ("Plzeň", "Ústí", "Třebíč", "Děčín"),
    "turkish": ("İstanbul", "Şişli", "Kadıköy"),
    "russian": ("Москва", "Казань", "город", "СУММА"),
    "greek": ("Πόλη", "Αθήνα", "ποσό"),
    "japanese": ("品番", "品名", "数量"),
    "korean": ("서울", "부산", "대구"),
}
IN = {
    "german": ("cp1252", "iso-8859-15", "cp1250", "cp437", "cp850", "cp852", "cp858", "macintosh"),
    "french": ("cp1252", "iso-8859-15", "cp850", "macintosh"),
    "spanish": ("cp1252", "cp850", "macintosh"),
    "polish": ("cp1250", "iso-8859-2", "cp852"),
    "czech": ("cp1250", "iso-8859-2", "cp852"),
    "turkish": ("cp1254", "iso-8859-9"),
    "russian": ("cp1251", "koi8-r", "cp866", "iso-8859-5"),
    "greek": ("cp1253", "iso-8859-7"),
    "japanese": ("cp932", "euc-jp"),
    "korean": ("cp949",),
}
CASES = [(name, pair) for language, names in IN.items() for name in names for pair in pairwise(WORDS[language])]


@pytest.mark.parametrize(("name", "pair"), CASES)
def test_draft_shows_how_words_read_and_accepts_its_sample(tmp_path: Path, name: str, pair: tuple[str, str]) -> None:
    body = f"id,place\n1,{pair[0]}\n2,{pair[1]}\n".encode(name)
    plan, text = contract_of(tmp_path, ("places.csv", body))

    (point,) = [line for line in text.split("\n") if "`encoding`: the bytes do not say which" in line]
    assert f"`{pair[0]}`" in point
    by_letters = re.search(
        r"  # proposed: (by its letters, .*; )?the bytes do not say which; read so, words are `", text
    )
    assert by_letters
    is_right = [word.encode(plan.csv.encoding, "replace") for word in pair] == [word.encode(name) for word in pair]
    assert is_right or not by_letters[1], text
    assert str(verdict(plan, body)[0]).startswith("accepted")


SENT = {
    "german": ("cp1252", "iso-8859-15", "cp850", "cp437", "macintosh"),
    "french": ("cp1252", "iso-8859-15", "cp850", "cp437", "macintosh"),
    "spanish": ("cp1252", "iso-8859-15", "cp850", "cp437", "macintosh"),
    "polish": ("cp1250", "iso-8859-2", "cp852"),
    "russian": ("cp1251", "koi8-r", "cp866", "iso-8859-5"),
    "greek": ("cp1253", "iso-8859-7"),
}


@pytest.mark.parametrize(("language", "name"), [(language, name) for language, names in SENT.items() for name in names])
@pytest.mark.parametrize("is_fixed", [False, True])
def test_encoding_is_proposed_by_letters(tmp_path: Path, language: str, name: str, *, is_fixed: bool) -> None:
    words = WORDS[language] * 3
    lines = [f"{n:04}  {word:12}  {n:8}" if is_fixed else f"{n},{word}" for n, word in enumerate(words)]
    body = "".join(f"{line}\n" for line in (lines if is_fixed else ["id,place", *lines])).encode(name)
    plan, text = contract_of(tmp_path, ("places.csv", body))

    assert [word.encode(plan.csv.encoding, "replace") for word in words] == [word.encode(name) for word in words], text
    assert "mojibake" not in text
    assert verdict(plan, body)[0] == "accepted"


EVERYWHERE = {
    **{language: " ".join(words) for language, words in WORDS.items() if language not in ("japanese", "korean")},
    "portuguese": "São João ação Conceição",
    "italian": "città perché università così",
    "dutch": "België reünie één",
    "danish": "Søren Ærø Ångström København",
    "swedish": "Göteborg Malmö Västerås Örebro",
    "finnish": "Jyväskylä Hämeenlinna Seinäjoki Mäntsälä",
    "icelandic": "Þórður Ýmir Reykjavík Ísafjörður",
    "slovak": "Košice Žilina Prešov Topoľčany",
    "hungarian": "Győr Kőszeg Székesfehérvár Szűcs",
    "romanian": "Bucureşti Timişoara Iaşi Brăila Constanţa",
    "romanian, with commas": "București Timișoara Iași Brăila Constanța",
    "turkish places": "Beşiktaş Üsküdar Muğla Diyarbakır Çanakkale",
    "turkish names": "Ağustos Şubat Kasım Çarşamba Salı",
    "croatian": "Šibenik Čakovec Požega Đakovo",
    "lithuanian": "Klaipėda Šiauliai Panevėžys Mažeikiai",
    "latvian": "Rīga Liepāja Jūrmala Rēzekne",
    "estonian": "Pärnu Jõhvi Võru Põlva",
    "ukrainian": "Київ Харків Львів Дніпро",
    "bulgarian": "София Пловдив Варна Бургас",
    "serbian": "Београд Крагујевац Ниш Чачак",
    "hebrew": "ירושלים חיפה אשדוד",
    "arabic": "القاهرة الرياض دبي",
}
"""Words of the languages of our lists, and of all other alphabets that an encoding of one byte a character has."""
UNSURE = {("romanian, with commas", "iso-8859-16"): "windows-1250"}
"""Words whose bytes are as good words in a more frequent encoding, which is proposed."""


@pytest.mark.parametrize("language", EVERYWHERE)
def test_words_of_each_language_show_each_encoding(tmp_path: Path, language: str) -> None:
    words = EVERYWHERE[language].split()
    for name in letters.ONE_BYTE:
        if not all(encodings.fits(word, name) for word in words):
            continue
        sample = tmp_path / f"{name}.csv"
        sample.write_bytes("".join(f"{n};{word}\n" for n, word in enumerate(["place", *words])).encode(name))
        (head,) = by_letters([head_of(sample, LARGE, tmp_path)])

        shown = readings.words_of(head.head.split("\n"))
        if (language, name) in UNSURE:
            assert head.encoding == UNSURE[language, name]
            assert f"in {name}" in readings.remark(shown, head.encoding)
        else:
            assert [line.partition(";")[2] for line in head.head.split("\n")[1:-1]] == words, (name, head.encoding)
            assert not head.mojibake


def test_reason_of_an_encoding_names_the_language(tmp_path: Path) -> None:
    body = "id;city\n" + "".join(f"{n};{word}\n" for n, word in enumerate(EVERYWHERE["turkish"].split()))
    _, text = contract_of(tmp_path, ("places.csv", body.encode("cp1254")))

    assert "encoding: windows-1254  # proposed: by its letters, which are those of Turkish; the bytes do not" in text


@pytest.mark.parametrize(
    "text", ["Müller", "Þórður Ýmir ðað", "São João ação", "Søren Ærø Ångström", "5 § °C", "naïve ÿ"]
)
def test_western_letters_stay_in_their_encoding(tmp_path: Path, text: str) -> None:
    plan, _ = contract_of(tmp_path, ("things.csv", f"id,name\n1,{text}\n2,{text}\n".encode("cp1252")))

    assert plan.csv.encoding == "iso-8859-1"


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "ascii"])
def test_draft_of_bytes_that_say_their_encoding_has_no_such_point(tmp_path: Path, name: str) -> None:
    word = "Muenchen" if name == "ascii" else "München"
    _, text = contract_of(tmp_path, ("places.csv", f"id,place\n1,{word}\n2,{word}\n".encode(name)))

    assert "bytes do not say" not in text


def test_word_behind_the_first_bytes_is_shown(tmp_path: Path) -> None:
    _, text = contract_of(tmp_path, ("places.csv", b"id,place\n" + b"1,a\n" * 90_000 + "2,Köln\n".encode("cp1252")))

    assert "`Köln`" in text


def test_point_of_fixed_width_is_at_its_encoding(tmp_path: Path) -> None:
    lines = "".join(f"{n:04}  {'München':10}  {'x' * (n % 5):6}{n:8}\n" for n in range(1, 30))
    _, text = contract_of(tmp_path, ("places.txt", lines.encode("cp1252")))

    assert "format: fixed" in text
    assert "encoding: iso-8859-1  # proposed: the bytes do not say which" in text


@pytest.mark.parametrize("name", [name for name in encodings.NAMES if not readings.is_stated(name)])
def test_point_is_a_sentence_in_every_encoding(name: str) -> None:
    raw = "aé".encode(name, "ignore") + bytes(byte for byte in range(128, 256))
    words = readings.words_of(["a", raw.decode(name, "ignore")])

    assert readings.remark(words, name).endswith((".", "whether they read so."))
    assert all(not word.isascii() for word in words)
