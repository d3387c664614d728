# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Back-to-back frames, system recovery and reset on devices of the kernel whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
import yaml

from TesterLibrary.files.paths import data_root
from TesterLibrary.methodology.throughput import LimitedBy, ThroughputSearch, find_throughput
from TesterLibrary.methodology.token_bucket import Arrival, TokenBucket
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import FCS_LENGTH, Bandwidth, Duration, FrameSize, Rate, Ratio
from TesterLibrary.running.measurer import Pauses, TrialMeasurer
from TesterLibrary.testbeds import load_testbed

from .opened import opened
from .robots import SuiteTests, check_failed, check_passed, lines, robot

ANOTHER_DEVICE = Path(__file__).with_name("another_device.py")
SUITES = data_root() / "suites" / "rfc2544"


def bucket_of(options: Mapping[str, Any]) -> TokenBucket:
    """The bucket of an embedded device."""
    return TokenBucket(Bandwidth.parse(options["rate"]), Octets(options["burst"]), Octets(options["queue"]))


def lost(bucket: TokenBucket, size: int, frames: int, gap_ns: Fraction | float) -> int:
    """The frames that a bucket loses of so many, evenly spaced."""
    each = [Arrival(round(number * gap_ns), size - FCS_LENGTH) for number in range(frames)]
    return bucket.lost(each, frames)


def longest_burst(size: int) -> int:
    """The frames of the longest burst that the device of embedded/short-queue holds, by arithmetic."""
    testbed = load_testbed("embedded/short-queue")
    bucket = bucket_of(testbed.dut.options)
    gap_ns = 10**9 / testbed.ports[0].speed.frames_per_second(size)
    frames = 1
    while not lost(bucket, size, frames + 1, gap_ns):
        frames += 1
    return frames


def run(
    procedure: str, folder: Path, test: str, testbed: str, criteria: str, listener: Path | None = None
) -> SuiteTests:
    path = folder / "criteria.yaml"
    path.write_text(f"CRITERIA:\n  version: 1\n  layer: 2\n  {criteria}\n", encoding="utf-8")
    given = (f"TESTBED:{testbed}", f"CRITERIA_FILE:{path}")
    return robot(SUITES / f"{procedure}.robot", folder, *given, only=test, listener=listener)


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


@pytest.mark.long
def test_a_queue_recovers_as_soon_as_it_may(tmp_path: Path) -> None:
    criteria = 'system_recovery: {"1024": 50 ms}'
    check_passed(run("system_recovery", tmp_path, "1024 Bytes", "embedded/short-queue", criteria))


@pytest.mark.parametrize(
    ("testbed", "bound", "passes"),
    [
        pytest.param("embedded/l2-bridge", "900 ms", True, marks=pytest.mark.long),
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


RUNS = 5
PRECISE = ThroughputSearch(
    resolution=Ratio.parse("0.05 %"),
    lowest=Ratio.parse("1 %"),
    trial_duration=Duration(4 * 10**9),
    scout_duration=Duration(5 * 10**8),
)


def highest_load(size: int) -> Fraction:
    """The highest load of a search at which the bucket of embedded/short-queue loses nothing in a trial."""
    testbed = load_testbed("embedded/short-queue")
    bucket, line = bucket_of(testbed.dut.options), testbed.ports[0].speed.frames_per_second(size)

    def passes(step: int) -> bool:
        rate = PRECISE.load(step) * line
        return not lost(bucket, size, ceil(rate * PRECISE.trial_duration.ns / 10**9), 10**9 / rate)

    below, above = 0, PRECISE.steps
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if passes(middle) else (below, middle)
    return PRECISE.load(below)


@pytest.mark.long
def test_the_throughput_of_a_token_bucket_is_found_again_and_again(tmp_path: Path) -> None:
    """Five runs on devices set up anew are within 0.5 % of each other, and within a step of the truth."""
    truth = highest_load(512)
    stream = Stream("north", tx="p1", rx="p2", frame_size=FrameSize(512), rate=Rate.parse("1 %"))
    found = []
    for number in range(RUNS):
        with closing(opened("embedded/short-queue", tmp_path / str(number))) as bed:
            measurer = TrialMeasurer(bed.tester, [stream], pauses=Pauses(rest_after_loss=Duration(4 * 10**8)))
            result = find_throughput(measurer, PRECISE)
        assert result.limited_by is LimitedBy.DEVICE, result
        found.append(result.load)
    spread = (max(found) - min(found)) / min(found)
    loads = ", ".join(f"{float(load):.4%}" for load in found)
    print(f"truth {float(truth):.4%}, found {loads}: spread {float(spread):.3%}")
    assert spread <= Fraction(5, 1000)
    assert all(abs(load - truth) <= PRECISE.resolution.value for load in found)


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        pytest.param(
            "{keyword: Bring Another Device}",
            "after the reset the gateway 198.18.1.1 of port p1 has another MAC address, 02:00:00:00:99:99",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "{command: [sh, -c, echo no card in slot 3; exit 7]}",
            "ended with status 7: no card in slot 3",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "{command: sleep 60, timeout: 1 s}",
            "the device was not reset: the command 'sleep 60' did not end within 1 s",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_hook_that_does_not_reset_the_device_judges_nobody(hook: str, message: str, tmp_path: Path) -> None:
    """It fails, hangs, or brings back a different device: a fault of the testbed; one message says so."""
    shipped = data_root() / "resources" / "testbeds" / "embedded" / "l3-router.yaml"
    bed = yaml.safe_load(shipped.read_text(encoding="utf-8"))
    bed["dut"]["reset"] = {"software": yaml.safe_load(hook)}
    testbed = tmp_path / "planted.yaml"
    testbed.write_text(yaml.safe_dump(bed), encoding="utf-8")
    criteria = "reset: {software: 1 s}"
    (test,) = run("reset", tmp_path, "Software Reset", str(testbed), criteria, ANOTHER_DEVICE).values()
    assert (test.status, message in test.message) == ("SKIP", True), test.message
