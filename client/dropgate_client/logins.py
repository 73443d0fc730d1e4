"""The file with the login: an address, an application and its token, which only its owner may read.

The secret of the application is not in it: who renews the token has it in the environment.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from dropgate_client.errors import NotConfigured
from dropgate_client.tokens import Application, Token

LOGIN = "Run `dropgate-client login --api ADDRESS --issuer ADDRESS`."


@dataclass(frozen=True)
class Login:
    """A login at an API; `has_secret` is False if the issuer asks this application for none."""

    api: str
    application: Application
    token: Token
    has_secret: bool = True


def default_path() -> Path:
    """Return the file of this user, in the folder that the system has for settings."""
    return Path(click.get_app_dir("dropgate-client")) / "login.json"


def save(path: Path, login: Login) -> None:
    """Write the file whole, with mode 0600, in place of a former one or of a link; raise NotConfigured."""
    body = json.dumps({"format": 1, **asdict(login)}, indent=2).encode()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".login-")  # it has mode 0600 from the beginning
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise NotConfigured(f"The login cannot be written to {path}: {error.strerror}.") from None


def load(path: Path) -> Login:
    """Return the login of a file; raise NotConfigured if there is none, or if others may read it."""
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise NotConfigured(f"Others may read your token in {path}: `chmod 600` the file, or log in again.")
        document = json.loads(path.read_bytes())
        application, token = Application(**document["application"]), Token(**document["token"])
        return Login(document["api"], application, token, document["has_secret"])
    except FileNotFoundError:
        raise NotConfigured(f"Nobody is logged in. {LOGIN}") from None
    except OSError as error:
        raise NotConfigured(f"The login in {path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise NotConfigured(f"The login in {path} is damaged. {LOGIN}") from None
