"""What is deployed beside the functions: the job's archive, a pure Python zip that serves every CPU.

The same sources give the same bytes: names sorted, times and rights fixed.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENTRY = ROOT / "spark_jobs" / "validate.py"
"""The entry point of the Spark job, uploaded beside the archive."""


def job_archive() -> bytes:
    """The zip of `spark_jobs` and of the run time of `contracts` (authoring and documents stay out)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(job_sources()):
            info = zipfile.ZipInfo(path.relative_to(ROOT).as_posix(), (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    return out.getvalue()


def job_sources() -> list[Path]:
    """The files of the archive."""
    return [*(ROOT / "contracts").glob("*.py"), *(ROOT / "spark_jobs").glob("*.py")]
