"""Sessions: the file with the login, the environment, and tokens that end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dropgate_client.errors import NotConfigured
from dropgate_client.logins import Login, load, save
from dropgate_client.sessions import open_session
from dropgate_client.tokens import Application, Token
from dropgate_client.transport import Transport
from tests.unit.client.servers import Server


def a_login(server: Server, seconds: float = 3600, *, has_secret: bool = True) -> Login:
    application = Application(server.url, "inmet", "producer")
    return Login(server.url, application, Token("kept", time.time() + seconds), has_secret)


def test_login_is_read_as_it_was_written_by_its_owner_alone(server: Server, tmp_path: Path) -> None:
    path, login = tmp_path / "config" / "login.json", a_login(server)
    save(path, login)

    assert load(path) == login
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["login.json"]


def test_login_takes_the_place_of_a_link(server: Server, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "login.json").symlink_to(other)
    save(tmp_path / "login.json", a_login(server))

    assert other.read_text() == "mine"
    assert load(tmp_path / "login.json").token.value == "kept"


def test_login_that_others_may_read_is_refused(server: Server, tmp_path: Path) -> None:
    save(tmp_path / "login.json", a_login(server))
    (tmp_path / "login.json").chmod(0o640)

    with pytest.raises(NotConfigured, match=r"Others may read your token .*chmod 600"):
        load(tmp_path / "login.json")


@pytest.mark.parametrize("text", ["", "{}", '{"api": 1', '{"application": {"x": 1}, "token": {}}', "[]"])
def test_damaged_login_says_how_to_log_in(tmp_path: Path, text: str) -> None:
    path = tmp_path / "login.json"
    path.touch(0o600)
    path.write_text(text)

    with pytest.raises(NotConfigured, match=r"is damaged\. Run `dropgate-client login"):
        load(path)


def test_nobody_is_logged_in_at_first(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match=r"Nobody is logged in\. Run `dropgate-client login"):
        open_session(Transport(), {}, tmp_path / "login.json")


def test_token_is_used_until_a_minute_before_its_end(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "login.json"
    save(path, a_login(server, 70))
    session = open_session(Transport(), {"DROPGATE_CLIENT_SECRET": "s"}, path)
    assert (session.token(), server.asked) == ("kept", [])

    save(path, a_login(server, 50))
    session = open_session(Transport(), {"DROPGATE_CLIENT_SECRET": "s"}, path)
    assert session.token() == session.token() == "first"
    assert len(server.requests("POST /token")) == 1
    assert load(path).token.value == "first"
    assert load(path).token.ends_at > time.time() + 3000


def test_token_that_ended_asks_for_the_secret(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "login.json"
    save(path, a_login(server, -1))

    with pytest.raises(NotConfigured, match=r"token of inmet ended at .* UTC\. Run .* With DROPGATE_CLIENT_SECRET"):
        open_session(Transport(), {}, path).token()
    save(path, a_login(server, -1, has_secret=False))
    assert open_session(Transport(), {}, path).token() == "first"


def test_environment_needs_no_file_and_writes_none(server: Server, tmp_path: Path) -> None:
    application = {"DROPGATE_ISSUER": server.url, "DROPGATE_CLIENT_ID": "inmet", "DROPGATE_CLIENT_SECRET": "s"}
    session = open_session(Transport(), {"DROPGATE_API": f"{server.url}/", **application}, tmp_path / "login.json")

    assert (session.api, session.token()) == (server.url, "first")
    assert list(tmp_path.iterdir()) == []
    given = open_session(Transport(), {"DROPGATE_API": server.url, "DROPGATE_TOKEN": "given"}, tmp_path / "login.json")
    assert (given.token(), given.renew()) == ("given", False)


def test_login_at_another_api_is_not_used(server: Server, tmp_path: Path) -> None:
    save(tmp_path / "login.json", a_login(server))

    with pytest.raises(NotConfigured, match=r"logged in to .*, and DROPGATE_API is https://other\.example"):
        open_session(Transport(), {"DROPGATE_API": "https://other.example"}, tmp_path / "login.json")
