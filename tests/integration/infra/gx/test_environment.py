"""The archive of Great Expectations, as EMR Serverless unpacks it, for this Python: importable with nothing beside it.

Its wheels weigh some hundred megabytes, so this is for `make torture`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from infra.packaging.bundles import environment, tarred
from infra.setup import wheels
from infra.setup.wheels import this_cpu

JUDGE = """
import sys
import numpy, pandas, scipy.stats
import great_expectations as gx
assert all("/environment/" in each.__file__ for each in (gx, numpy, pandas, scipy)), gx.__file__
assert not any("-packages" in place for place in sys.path), sys.path
rows = pandas.DataFrame({"id": [1, None, 3], "amount": [1.0, 2.0, 3.0]})
batch = gx.get_context(mode="ephemeral").data_sources.pandas_default.read_dataframe(rows)
asked = (gx.expectations.ExpectColumnValuesToNotBeNull(column="id"),
         gx.expectations.ExpectColumnMeanToBeBetween(column="amount", min_value=2, max_value=2))
print([batch.validate(each).success for each in asked])
"""


@pytest.mark.torture
def test_great_expectations_judges_beside_a_bare_python(tmp_path: Path) -> None:
    archive = tmp_path / "environment.tar.gz"
    tarred(environment(this_cpu(), lambda _: None, wheels.here(wheels.EMR)), archive)
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "environment", filter="data")
    surroundings = {**os.environ, "PYTHONPATH": "./environment", "GX_ANALYTICS_ENABLED": "false"}
    command = [sys.executable, "-S", "-B", "-c", JUDGE]
    done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["[False, True]"]), done.stderr
