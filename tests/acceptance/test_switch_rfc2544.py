# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suites of RFC 2544 on a switch that does not exist, in trials of some hundred frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import SuiteTests, check_failed, check_passed, lines, quick_or_long, robot

PROFILE = """\
PROFILE:
  version: 1
  name: tiny
  stability: {load: 0 %}
  throughput: {duration: 20 ms, scout: 10 ms, resolution: 10 %, lowest: 50 %, sustained: false}
  latency:
    {search: 20 ms, scout: 10 ms, resolution: 10 %, lowest: 50 %, part: 50 %, duration: 20 ms, repetitions: 1}
  frame_loss: {step: 10 %, duration: 4 ms}
  prerequisite: {duration: 20 ms, scout: 10 ms, rest: 1 ms, resolution: 10 %, lowest: 50 %}
  back_to_back: {repetitions: 1, rest: 1 ms, resolution: 50 %}
  system_recovery: {overload: 20 ms, relief: 20 ms, repetitions: 1}
"""
# A bucket and a queue of four frames each before 40 % of line rate, long enough overloaded to overflow.
OVERLOADED = (
    (
        "scout: 10 ms, rest: 1 ms, resolution: 10 %, lowest: 50 %",
        "scout: 10 ms, rest: 1 ms, resolution: 4 %, lowest: 10 %",
    ),
    ("overload: 20 ms, relief: 20 ms", "overload: 100 ms, relief: 60 ms"),
)
SHAPER = "    shaper: {rate: 400 Mbps, burst: 6100, queue: 6100}\n"
CRITERIA = """\
CRITERIA:
  version: 1
  layer: 2
  throughput: {"1518": 50 %}
  latency: {"1518": 20 ms}
  frame_loss: {"1518": {loss: 0 %, load: 50 %}}
  back_to_back: {"1518": 20}
  system_recovery: {"1518": 10 ms}
  reset: {software: 1 s}
"""
PROCEDURES = ("throughput", "latency", "frame_loss", "back_to_back")
LOSSY = Path(__file__).with_name("lossy_switch.py")


def run(
    procedure: str,
    folder: Path,
    listener: Path | None = None,
    directions: int = 1,
    *,
    shaper: str = "",
    profile: str = PROFILE,
) -> SuiteTests:
    """Runs a procedure with frames of 1518 bytes."""
    bed = (data_root() / "resources" / "testbeds" / "tofino-fake.yaml").read_text(encoding="utf-8")
    given = [f"DIRECTIONS:{directions}"]
    bed = bed.replace("10 Gbps", "1 Gbps").replace("    address: fake\n", f"    address: fake\n{shaper}")
    texts = {"TESTBED": bed, "PROFILE_FILE": profile, "CRITERIA_FILE": CRITERIA}
    for name, text in texts.items():
        path = folder / f"{name.lower()}.yaml"
        path.write_text(text, encoding="utf-8")
        given.append(f"{name}:{path}")
    suite = data_root() / "suites" / "rfc2544" / f"{procedure}.robot"
    return robot(suite, folder, *given, only="1518 Bytes", listener=listener)


@pytest.mark.parametrize("procedure", [quick_or_long(name, long=name != "latency") for name in PROCEDURES])
def test_the_suites_run_on_a_switch(procedure: str, tmp_path: Path) -> None:
    tests = run(procedure, tmp_path)
    assert set(tests) == {"1518 Bytes"}
    check_passed(tests)


@pytest.mark.parametrize("procedure", [quick_or_long(name, long=name != "throughput") for name in PROCEDURES])
@pytest.mark.long
def test_both_directions_are_offered_at_the_same_time(procedure: str, tmp_path: Path) -> None:
    check_passed(run(procedure, tmp_path, directions=2))
    trials = lines(tmp_path / "evidence" / "trials.jsonl")
    assert trials
    for trial in trials:
        ways = [(stream["name"], stream["tx_port"], stream["rx_port"]) for stream in trial["streams"]]
        assert ways == [("north", "p1", "p2"), ("south", "p2", "p1")]
        north, south = (stream["counters"]["tx_packets"] for stream in trial["streams"])
        assert north == south > 0


def test_other_directions_are_refused(tmp_path: Path) -> None:
    (test,) = run("throughput", tmp_path, directions=3).values()
    assert (test.status, test.message) == ("FAIL", "DIRECTIONS is 3; give 1 or 2")


@pytest.mark.long
def test_a_device_that_loses_nothing_was_not_overloaded(tmp_path: Path) -> None:
    why = "the device lost nothing at 100 % of line rate for 20 ms, so it was not overloaded"
    check_passed(run("system_recovery", tmp_path), {"1518 Bytes": why})


@pytest.mark.long
def test_a_device_with_a_short_queue_recovers_at_once(tmp_path: Path) -> None:
    profile = PROFILE
    for old, new in OVERLOADED:
        assert old in profile
        profile = profile.replace(old, new)
    check_passed(run("system_recovery", tmp_path, shaper=SHAPER, profile=profile))
    step = lines(tmp_path / "evidence" / "trials.jsonl")[-1]["streams"][0]["counters"]
    assert step["tx_packets"] > step["rx_packets"] > 0
    assert step["outages"]["last_sequence"] > 0


@pytest.mark.parametrize(
    ("procedure", "why"),
    [
        ("throughput", "FAIL: throughput of north, 1518 bytes is below 50 %, required >= 50 %"),
        pytest.param("frame_loss", "FAIL: frame loss of north, 1518 bytes", marks=pytest.mark.long),
    ],
)
def test_a_device_that_loses_a_frame_in_twenty_fails(procedure: str, why: str, tmp_path: Path) -> None:
    check_failed(run(procedure, tmp_path, LOSSY), "1518 Bytes", why)
