# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign through the command, with the library's own keywords on a simulated device."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .robots import SUITES

COMMAND = [sys.executable, "-m", "TesterLibrary.commands.main"]


@pytest.mark.long
def test_a_night_is_signed_and_verified(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    text = (
        (SUITES / "campaign.yaml").read_text().replace("regression.robot", str(SUITES / "regression.robot"))
    )
    (tmp_path / "night.yaml").write_text(f"{text.replace('repetitions: 2', 'repetitions: 1')}key: lab.key\n")
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=False)
    run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "lab.key"], check=True)
    run(["openssl", "pkey", "-in", "lab.key", "-pubout", "-out", "lab.pub"], check=True)
    (tmp_path / "lab.key").chmod(0o644)
    assert "mode 644" in run([*COMMAND, "run", "night.yaml"]).stderr
    (tmp_path / "lab.key").chmod(0o600)
    assert run([*COMMAND, "run", "night.yaml"]).returncode == 0
    verify = [*COMMAND, "verify", "night", "--public-key", "lab.pub"]
    verified = run(verify)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "this is a demonstration, not a certification" in verified.stdout
    with (tmp_path / "night" / "evidence" / "trials.jsonl").open("r+") as trials:
        trials.seek(100)
        trials.write("\0")
    verified = run(verify)
    assert verified.returncode == 1
    assert "WRONG     evidence/trials.jsonl has changed since the certificate was made" in verified.stdout


@pytest.mark.long
def test_a_night_is_measured_twice_and_kept(tmp_path: Path) -> None:
    run = [*COMMAND, "run", str(SUITES / "campaign.yaml")]
    ended = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    heading = "Nightly on simulated devices, profile quick: 1 suite × 1 testbed × 2 repetitions, 4 tests on"
    assert ended.stdout.startswith(f"{heading} simulated/breakpoint")
    assert "PASS (4 PASS, " in ended.stdout
    junit = ElementTree.parse(tmp_path / "night" / "junit.xml").getroot()
    assert [suite.get("name") for suite in junit] == [
        "breakpoint.Regression",
        "breakpoint (2).Regression",
    ]
    trend = [*COMMAND, "trend", "--database", "trend.duckdb"]
    told = subprocess.run(trend, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "2 too few; 1 run in trend.duckdb" in told.stdout  # one value of both repetitions
