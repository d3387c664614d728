# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One suite, unchanged, on an engine and on a switch that does not exist: only the testbed is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_passed, robot, run

# A fake switch has some thousands of frames a second, and nothing here is about calibration.
SLOW = ("TESTBED:tofino-fake", "RATE:300 pps", "DURATION:1 s", "CABLE:none")
_COPIES = "copies: {port: front:9/0, speed: 10 Gbps, interface: lo, host: 127.0.0.1/8}"


@pytest.mark.parametrize("testbed", ["embedded/l2-bridge", "tofino-fake"])
def test_one_suite_runs_on_every_tester(testbed: str, tmp_path: Path) -> None:
    tests = run("switch.robot", tmp_path, f"TESTBED:{testbed}")
    assert set(tests) == {"Stateless Stream", "HTTP Responder", "HTTP Clients"}
    check_passed(tests)


@pytest.mark.long
@pytest.mark.parametrize("testbed", ["embedded/l2-bridge", "tofino-fake"])
def test_captures_are_the_same_on_every_tester(testbed: str, tmp_path: Path) -> None:
    tests = run("captured.robot", tmp_path, f"TESTBED:{testbed}")
    assert set(tests) == {"A Trial", "Fields As They Arrive", "Tags As They Arrive", "The Last Frames"}
    check_passed(tests)


@pytest.mark.long
def test_a_capture_on_a_switch_shows_which_frames_a_device_has_lost(tmp_path: Path) -> None:
    text = (data_root() / "resources" / "testbeds" / "tofino-fake.yaml").read_text(encoding="utf-8")
    file = tmp_path / "shaper.yaml"
    shaper = "    shaper: {rate: 20 Mbps, burst: 60000, queue: 60000}\n"
    file.write_text(text.replace("    address: fake\n", f"    address: fake\n{shaper}"), encoding="utf-8")
    check_passed(run("captured_losses.robot", tmp_path, f"TESTBED:{file}"))


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("Frames Keep Their Order", "SKIP", "INCONCLUSIVE: frames corrupted: this tester does not count"),
        ("The Version Is Where The Author Wants It", "FAIL", "a switch writes the highest bit of IP.id"),
    ],
)
def test_what_a_switch_cannot_measure_never_passes(
    name: str, status: str, message: str, tmp_path: Path
) -> None:
    """A missing counter makes a test INCONCLUSIVE; a stream that cannot be sent is refused by name."""
    tests = robot(data_root() / "suites" / "measurement", tmp_path, *SLOW, only=name)
    assert (tests[name].status, message in tests[name].message) == (status, True), tests[name].message


@pytest.mark.parametrize("device", ["bridge", pytest.param("router", marks=pytest.mark.long)])
def test_devices_of_the_kernel_are_behind_a_fake_switch(device: str, tmp_path: Path) -> None:
    """Frames of its streams go by cables to a real device, and what that forwards is counted."""
    tests = run("kernel_behind_switch.robot", tmp_path, f"TESTBED:{_behind_switch(device, tmp_path)}")
    check_passed(tests, {"A Link That Goes Down": "the link of p2 was down"})


@pytest.mark.long
def test_a_router_of_ipv6_is_answered(tmp_path: Path) -> None:
    testbed = _behind_switch("router of IPv6", tmp_path)
    check_passed(run("router_asks_switch.robot", tmp_path, f"TESTBED:{testbed}"))


@pytest.mark.long
def test_what_a_device_of_the_kernel_forwards_is_captured(tmp_path: Path) -> None:
    check_passed(run("captured.robot", tmp_path, f"TESTBED:{_behind_switch('bridge', tmp_path)}"))


def _behind_switch(device: str, folder: Path) -> Path:
    """The testbed of an embedded device whose tester is a switch that does not exist."""
    shipped = {"bridge": "l2-bridge", "router": "l3-router", "router of IPv6": "nd-router"}[device]
    text = (data_root() / "resources" / "testbeds" / "embedded" / f"{shipped}.yaml").read_text("utf-8")
    file = folder / "behind-switch.yaml"
    switch = f"switch: {{address: fake, {_COPIES}}}"
    file.write_text(f"{text}\ntester:\n  {switch}\n", encoding="utf-8")
    return file


@pytest.mark.long
def test_a_switch_counts_flows(tmp_path: Path) -> None:
    check_passed(robot(data_root() / "suites" / "measurement", tmp_path, *SLOW, only="Every Flow Arrives"))


@pytest.mark.long
def test_a_switch_is_monitored_while_a_suite_changes_and_stops_its_traffic(tmp_path: Path) -> None:
    """The thread that reads the intervals and the suite share one connection to the switch."""
    tests = run("shared.robot", tmp_path)
    assert len(tests) == 2
    check_passed(tests)
