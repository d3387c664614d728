# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Back-to-back frames, system recovery and reset on devices of the kernel whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root
from TesterLibrary.methodology.token_bucket import Arrival, TokenBucket
from TesterLibrary.model.quantity import Octets
from TesterLibrary.model.units import FCS_LENGTH
from TesterLibrary.testbeds import load_testbed

from .robots import SuiteTests, check_failed, check_passed, lines, robot

SUITES = data_root() / "suites" / "rfc2544"


def longest_burst(size: int) -> int:
    """The frames of the longest burst that the device of embedded/short-queue holds, by arithmetic."""
    testbed = load_testbed("embedded/short-queue")
    options, speed = testbed.dut.options, testbed.ports[0].speed
    bucket = TokenBucket(
        type(speed).parse(options["rate"]), Octets(options["burst"]), Octets(options["queue"])
    )
    gap_ns = 10**9 / speed.frames_per_second(size)

    def lost(frames: int) -> int:
        each = [Arrival(round(number * gap_ns), size - FCS_LENGTH) for number in range(frames)]
        return bucket.lost(each, frames)

    frames = 1
    while not lost(frames + 1):
        frames += 1
    return frames


def run(procedure: str, folder: Path, test: str, testbed: str, criteria: str) -> SuiteTests:
    path = folder / "criteria.yaml"
    path.write_text(f"CRITERIA:\n  version: 1\n  layer: 2\n  {criteria}\n", encoding="utf-8")
    given = (f"TESTBED:{testbed}", f"CRITERIA_FILE:{path}")
    return robot(SUITES / f"{procedure}.robot", folder, *given, only=test)


@pytest.mark.long
def test_the_longest_burst_is_that_of_the_queue(tmp_path: Path) -> None:
    frames = longest_burst(512)
    assert frames == 28
    for bound, outcome in ((frames, "PASS"), (frames + 1, "FAIL")):
        (folder := tmp_path / outcome).mkdir()
        criteria = f'back_to_back: {{"512": {bound}}}'
        tests = run("back_to_back", folder, "512 Bytes", "embedded/short-queue", criteria)
        if outcome == "PASS":
            check_passed(tests)
        else:
            check_failed(tests, "512 Bytes", "FAIL: longest burst of north, 512 bytes is 2")


def test_a_queue_recovers_as_soon_as_it_may(tmp_path: Path) -> None:
    criteria = 'system_recovery: {"1024": 50 ms}'
    check_passed(run("system_recovery", tmp_path, "1024 Bytes", "embedded/short-queue", criteria))


@pytest.mark.parametrize(
    ("testbed", "bound", "passes"),
    [
        ("embedded/l2-bridge", "900 ms", True),
        pytest.param("embedded/l2-bridge", "490 ms", False, marks=pytest.mark.long),
        pytest.param("embedded/l3-router", "900 ms", True, marks=pytest.mark.long),
        pytest.param("embedded/l3-router", "490 ms", False, marks=pytest.mark.long),
    ],
)
def test_a_restart_takes_as_long_as_the_device_is_down(
    testbed: str, bound: str, passes: bool, tmp_path: Path
) -> None:
    tests = run("reset", tmp_path, "Hardware Reset", testbed, f"reset: {{hardware: {bound}}}")
    if passes:
        check_passed(tests)
    else:
        check_failed(tests, "Hardware Reset", "FAIL: hardware reset of north, 64 bytes is")
    results = lines(tmp_path / "evidence" / "results.jsonl")
    assert results[-1]["hook"] == "a restart that takes 500 ms"
