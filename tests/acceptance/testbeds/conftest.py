# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every test of this folder runs with the machine's root and without, in a user namespace."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from TesterLibrary.testbeds import RunningTestbed, hosting
from TesterLibrary.testbeds.privilege import is_privileged

Frames = list[tuple[str, bytes]]  # interface of the tester, and what came out of the device there


@pytest.fixture(params=["root", "user namespace"], autouse=True)
def rights(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "root" and not is_privileged():
        pytest.skip("needs the capabilities of root")
    monkeypatch.setattr(hosting, "is_privileged", lambda: request.param == "root")
    return str(request.param)


def exchange(testbed: RunningTestbed, *send: tuple[str, bytes], count: int = 1, wait: float = 0.5) -> Frames:
    """Sends frames into the device, from the tester's CPU; returns what comes out within `wait` seconds."""
    task = {"send": [(interface, frame.hex()) for interface, frame in send], "count": count, "wait": wait}
    cpu = ("taskset", "--cpu-list", str(testbed.engine_cpus[0]))
    station = (sys.executable, str(Path(__file__).with_name("station.py")), json.dumps(task))
    done = subprocess.run(
        [*testbed.command_prefix, *cpu, *station], capture_output=True, text=True, check=True
    )
    return [(interface, bytes.fromhex(frame)) for interface, frame in json.loads(done.stdout)]
