# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The service does what its OpenAPI says, whatever is sent: schemathesis, by other authors, asks it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .served import ROOT, served

_MOST_S = 280
HOOKS = "tests.unit.service.sensible"
# No schema says which texts are the YAML of a job, and a lease that is over is 410 whatever is sent with it.
# A lease that was deleted stays readable: the answer has its end and the reason. It is no use after free.
_NOT = "positive_data_acceptance,negative_data_rejection,use_after_free"


@pytest.mark.parametrize(
    ("phases", "examples", "tested"),
    [
        ("fuzzing", 5, 22),
        ("stateful", 15, 5),
        pytest.param("coverage,fuzzing", 50, 22, marks=pytest.mark.long),
        pytest.param("stateful", 200, 15, marks=pytest.mark.long),
    ],
)
def test_it_keeps_its_contract(tmp_path: Path, phases: str, examples: int, tested: int) -> None:
    """Stateful: what one answer names, the next requests are about; these are chains of leases and jobs."""
    with served(tmp_path) as service:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/openapi.json"]
        token = f"Authorization: Bearer {service.tokens['root']}"
        options = ["--header", token, "--phases", phases, "--max-examples", str(examples)]
        options += ["--suppress-health-check", "too_slow"]  # it is the machine that is
        done = subprocess.run(
            [*command, *options, "--exclude-checks", _NOT, "--seed", "1", "--no-color"],
            capture_output=True,
            text=True,
            timeout=_MOST_S,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "SCHEMATHESIS_HOOKS": HOOKS},
        )
        said = re.sub(r"(.{1,4})\1{30,}", r"\1…", done.stdout)
        assert done.returncode == 0, said[-8000:]
        found = re.search(r"Tested: (\d+)", done.stdout)
        assert found
        assert int(found[1]) >= tested
        if phases == "stateful":
            assert ("the service", "grant") in {line[:2] for line in service.audit()}
        assert service.user("alice").get("/v1/health")["status"] == "ok"


def test_a_reader_that_has_enough_is_no_error() -> None:
    """As in `tester serve --openapi | head`: more than a pipe holds is not read."""
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "serve", "--openapi"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == "{\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 128 + signal.SIGPIPE


def test_the_command_prints_it_without_a_service() -> None:
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "serve", "--openapi"]
    described = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert described["openapi"].startswith("3.")
    assert "/v1/leases/{lease}/jobs" in described["paths"]
    secured = described["paths"]["/v1/leases"]["post"]
    assert secured["security"] == [{"HTTPBearer": []}]
    assert {"401", "403", "404", "409", "410", "413", "422", "503"} <= set(secured["responses"])
    assert "security" not in described["paths"]["/v1/health"]["get"]
