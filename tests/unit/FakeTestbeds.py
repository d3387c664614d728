# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener for Robot with which every testbed that a suite opens is the fake tester."""

from __future__ import annotations

from functools import partial
from typing import Any

from TesterLibrary.running import suite
from TesterLibrary.running.opening import OpenTestbed
from tests.unit.running.testers import opened


class FakeTestbeds:
    """`robot --listener tests/unit/FakeTestbeds.py`; `:300` behind it forwards 300 frames/s at most."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, capacity: str = "") -> None:
        suite.open_tester = partial(_open, capacity=int(capacity) if capacity else None)


def _open(*_: Any, scopes: Any, recorder: Any, capacity: int | None, **__: Any) -> OpenTestbed:
    testbed = opened(recorder.directory, capacity=capacity).open_testbed
    testbed.tester.scopes, testbed.tester.recorder = scopes, recorder
    return testbed
