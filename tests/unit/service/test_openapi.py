# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The service does what its OpenAPI says, whatever is sent: schemathesis, by other authors, asks it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .served import served

_MOST_S = 280
# No schema says which texts are the YAML of a job, and a lease that is over is 410 whatever is sent with it.
_NOT = "positive_data_acceptance,negative_data_rejection"


@pytest.mark.parametrize(
    ("phases", "examples"), [("fuzzing", 5), pytest.param("coverage,fuzzing", 50, marks=pytest.mark.long)]
)
def test_it_keeps_its_contract(tmp_path: Path, phases: str, examples: int) -> None:
    with served(tmp_path) as service:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/openapi.json"]
        token = f"Authorization: Bearer {service.tokens['root']}"
        options = ["--header", token, "--phases", phases, "--max-examples", str(examples)]
        done = subprocess.run(
            [*command, *options, "--exclude-checks", _NOT, "--seed", "1", "--no-color"],
            capture_output=True,
            text=True,
            timeout=_MOST_S,
            check=False,
            cwd=tmp_path,
        )
        said = re.sub(r"(.{1,4})\1{30,}", r"\1…", done.stdout)
        assert done.returncode == 0, said[-8000:]
        assert "Tested: 22" in done.stdout
        assert service.user("alice").get("/v1/health")["status"] == "ok"


def test_the_command_prints_it_without_a_service() -> None:
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "serve", "--openapi"]
    described = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert described["openapi"].startswith("3.")
    assert "/v1/leases/{lease}/jobs" in described["paths"]
    secured = described["paths"]["/v1/leases"]["post"]
    assert secured["security"] == [{"HTTPBearer": []}]
    assert {"401", "403", "404", "409", "410", "413", "422", "503"} <= set(secured["responses"])
    assert "security" not in described["paths"]["/v1/health"]["get"]
