"""Files that no command can read, and ends that are no fault of dropgate: a sentence and an exit code, no trace."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.cli.ends import named

COMMAND = [sys.executable, "-c", "from infra.cli.main import run; run()"]


def called(*words: str, **how: str) -> subprocess.CompletedProcess[str]:
    """A command of dropgate, with nothing on its standard input."""
    return subprocess.run(
        [*COMMAND, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **how},
    )


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Things that are no sample, by what they are."""
    folder = tmp_path_factory.mktemp("places")
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    (folder / "dangling.csv").symlink_to(folder / "nowhere")
    (folder / "device.csv").symlink_to("/dev/zero")
    (folder / "folder.csv").mkdir()
    (folder / "empty.csv").touch()
    (folder / "good.csv").write_text("id,word\n1,a\n2,b\n")
    return {path.stem: path for path in folder.iterdir()} | {"missing": folder / "missing.csv"}


@pytest.mark.parametrize("command", [("init",), ("test", "--contract", "inmet-weather.v1")])
@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("pipe", "is a pipe or a device; save it to a file first"),
        ("device", "is a pipe or a device; save it to a file first"),
        ("loop", "loop.csv"),
        ("dangling", "does not exist"),
        ("folder", "is a directory"),
        ("missing", "does not exist"),
    ],
)
def test_what_is_no_file_is_refused(places: dict[str, Path], command: tuple[str, ...], what: str, message: str) -> None:
    done = called(*command, str(places[what]))
    assert done.returncode == 2, done.stderr
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_init_says_in_a_sentence_why_there_is_no_contract(places: dict[str, Path]) -> None:
    done = called("init", str(places["empty"]))
    assert (done.returncode, done.stderr) == (1, "dropgate: empty.csv is empty; give a file with records.\n")


def test_init_says_where_it_cannot_write(places: dict[str, Path]) -> None:
    good = str(places["good"])
    for folder in (places["empty"] / "under", Path("/proc/nowhere")):
        done = called("init", good, "--to", str(folder))
        assert done.returncode == 2, done.stderr
        assert "cannot be written" in done.stderr.replace("\n", " ")
        assert "Traceback" not in done.stderr


def test_init_reads_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\xfe.csv"
    Path(os.fsdecode(path)).write_text("id,word\n1,a\n2,b\n")
    done = called("init", os.fsdecode(path))
    assert done.returncode == 0, done.stderr
    assert "files: contract/??.csv" in done.stdout


def test_full_disk_is_told_in_a_sentence() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert "The disk is full" in str(named(full))
    caused = RuntimeError("Spark's job")
    caused.__cause__ = full
    assert "The disk is full" in str(named(caused))
    assert "The disk is full" in str(named(RuntimeError("java.io.IOException: No space left on device")))
    assert "too little memory" in str(named(MemoryError()))
    assert named(ValueError("ours")) is None


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[Path]:
    """A folder whose file and folder `in` nobody may open; root may, so a command loses that right below."""
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "in/orders.v1.yaml"):
        (tmp_path / name).write_text("id,word\n1,a\n2,b\n")
        (tmp_path / name).chmod(0)
    (tmp_path / "in").chmod(0)
    yield tmp_path
    (tmp_path / "in").chmod(0o700)


AS_OTHERS = """
import ctypes, os, sys
drop = ctypes.CDLL(None).prctl
drop(24, 1, 0, 0, 0), drop(24, 2, 0, 0, 0)  # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""A program that runs another, for which rights of files hold as they do for all but root."""


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("init", "a.csv"), 2, "'a.csv' is not readable"),
        (("test", "--contract", "inmet-weather.v1", "a.csv"), 2, "'a.csv' is not readable"),
        (("test", "--contract", "in/orders.v1.yaml", __file__), 3, "in/orders.v1.yaml cannot be opened: Permission"),
        (("lint", "in"), 2, "'in' is not readable"),
        (("lint", "."), 1, "in:1:1: error[unreadable]: The file cannot be read: Permission denied"),
        (("export", "--to", "avro", "in"), 2, "'in' is not readable"),
    ],
)
def test_what_nobody_may_open_is_named(shut: Path, words: tuple[str, ...], code: int, message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_OTHERS, *COMMAND[1:], *words], cwd=shut, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_full_device_ends_a_command_with_a_sentence(places: dict[str, Path]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "init", str(places["good"])], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert "The disk is full" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_command_that_is_ended_leaves_no_folder(tmp_path: Path, how: signal.Signals) -> None:
    code = (
        "import signal, tempfile, time\nimport infra.cli.main as m\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # a run under nohup hands on that it is ignored
        "class Ours:\n    def __call__(self):\n"
        "        with tempfile.TemporaryDirectory(prefix='dropgate-'):\n            print('in', flush=True)\n"
        "            time.sleep(60)\n"
        "m.main = Ours()\nm.run()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "in\n"
        assert [path.name[:9] for path in tmp_path.iterdir()] == ["dropgate-"]
        process.send_signal(how)
        assert process.wait(60) == 128 + how
    assert list(tmp_path.iterdir()) == []
