# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 2889 over four ports of a bridge whose rate and table are known."""

from __future__ import annotations

from pathlib import Path

from .robots import check_failed, run

FAILING = {
    "More Than One Port Carries Is Not Forwarded": "FAIL: maximum forwarding rate of uplink p2-p1",
    "It Learns No More Addresses": "FAIL: address table of port p1 is 260 addresses, required >= 261",
    "A Broadcast Above The Rate Of A Port Is Lost": "FAIL: frame loss of all, 1518 bytes is",
    "A Broadcast That Misses A Port Is Lost": "FAIL: frame loss of all, 64 bytes is 100 %",
}


def test_a_bridge_with_four_ports(tmp_path: Path) -> None:
    tests = run("switching.robot", tmp_path)
    for name, text in FAILING.items():
        check_failed(tests, name, text)
    others = [name for name in tests if name not in FAILING]
    tests.settled(others)
    if all(tests[name].passed or tests[name].skipped for name in others):
        tests.excuse([name for name in others if tests[name].skipped])
    assert {name: tests[name].message for name in others if not tests[name].passed} == {}
