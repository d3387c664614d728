# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Nothing that a test leaves behind changes the next test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from robot.api import ExecutionResult

from .robots import SUITES, check_passed, lines, robot

ALONE = "Finds Nothing Of It"


def sent(output: Path) -> list[tuple[Any, ...]]:
    """The seed, loads and frames of each trial of one test."""
    trials = [trial for trial in lines(output / "evidence" / "trials.jsonl") if trial["test"] == ALONE]
    return [
        (
            trial["seed"],
            trial["load"],
            trial["attempt"],
            [(s["name"], s["intended_rate"], s["counters"]["intended_packets"]) for s in trial["streams"]],
        )
        for trial in trials
    ]


@pytest.mark.long
def test_a_test_measures_the_same_alone_and_after_others(tmp_path: Path) -> None:
    suite, together, alone = SUITES / "islands.robot", tmp_path / "together", tmp_path / "alone"
    check_passed(robot(suite, together))
    check_passed(robot(suite, alone, only=ALONE))
    first = [trial for trial in sent(together) if trial[2] == 1]
    assert [trial for trial in sent(alone) if trial[2] == 1] == first
    assert [[name for name, *_ in trial[3]] for trial in first] == [["south"]]
    warnings = [message.message for message in ExecutionResult(together / "output.xml").errors.messages]
    assert warnings == [
        "traffic of north was still running and has been stopped; call Stop Traffic (the end of the test)"
    ]
    assert (together / "evidence" / "captures" / "left.pcapng").exists()
