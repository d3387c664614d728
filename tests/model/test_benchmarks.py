# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of a switch are measured on the model: what they print is for whoever reads the run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from TesterLibrary.targets.tofino.session.vendor_model import DAEMON

from .running import RunningModel

_BOTH = ("tofino_load", "tofino_counters")


def test_benchmarks_of_a_switch_are_measured(
    model: RunningModel, configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert configuration
    summary = tmp_path / "summary.json"
    chosen = [word for name in _BOTH for word in ("--only", name)]
    with model.inside.entered():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", *chosen, "--runs", "3", "--output", str(summary)],
            capture_output=True,
            text=True,
            check=False,
        )
    with capsys.disabled():
        print(f"\n{done.stdout}")
    found = json.loads(summary.read_text(encoding="utf-8"))
    assert {name: DAEMON in outcome.get("note", "") for name, outcome in found.items()} == dict.fromkeys(
        _BOTH, True
    )
