# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suite that runs on every tester runs on the model too, with a bridge between its ports."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.robots import SUITES, check_passed, robot

from .running import RunningModel

_BRIDGE = "bridge"
_VARIABLES = ("TESTBED:tofino-model", "RATE:65", "SECONDS:5")  # a rate that the model keeps


@pytest.fixture
def bridged(model: RunningModel) -> Iterator[RunningModel]:
    model.inside.bridge(_BRIDGE, ["p1", "p2"])
    yield model
    with model.inside.entered():
        subprocess.run(["ip", "link", "delete", _BRIDGE], check=True)


@pytest.mark.parametrize("test", ["Stateless Stream", "HTTP Responder", "HTTP Clients"])
def test_one_suite_runs_on_the_model(bridged: RunningModel, tmp_path: Path, test: str) -> None:
    with bridged.inside.entered():
        tests = robot(SUITES / "switch.robot", tmp_path, *_VARIABLES, only=test)
    assert set(tests) == {test}
    check_passed(tests)
