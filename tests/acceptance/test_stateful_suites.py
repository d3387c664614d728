# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suites about connections on devices that are right, and on each one planted defect, which they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from .robots import check_failed, check_passed, robot

SUITES = Path("suites/stateful")
TESTBEDS = Path("resources/testbeds/embedded")
SUITES_OF_DEVICES = sorted(path.stem for path in SUITES.glob("[a-z]*.robot"))


@pytest.mark.parametrize("suite", SUITES_OF_DEVICES)
def test_a_device_that_is_right_passes(suite: str, tmp_path: Path) -> None:
    tests = robot(SUITES / f"{suite}.robot", tmp_path)
    assert len(tests) >= 2
    check_passed(tests)


@pytest.mark.parametrize(
    ("suite", "testbed", "right", "wrong", "test", "message"),
    [
        (
            "l7_load_balancer",
            "l7-balancer",
            ', "198.19.1.13:80"',
            "",  # one server gets no turn
            "Servers Have Even Shares",
            "FAIL: balance of transactions is 100 % off an even share",
        ),
        (
            "l4_gateway",
            "l4-gateway",
            "options:",
            "options:\n    connections: 1500",  # its table is too small
            "Connections Are Held",
            "FAIL: concurrent connections of users is 1,",
        ),
        (
            "arp_learning",
            "arp-router",
            "options:",
            "options:\n    most_neighbours: 100",  # its table is too small
            "Neighbours Are Learned Fast Enough",
            "FAIL: addresses learned of 198.18.64.1-198.18.65.0 is ",
        ),
        (
            "l4_gateway",
            "l4-gateway",
            "options:",
            "options:\n    strips: sack-perm",
            "TCP Options Pass",
            "dropped option: 20 of 20 SYN-ACKs came without sack",
        ),
        (
            "burst_tolerance",
            "shaper",
            "queue: 60000",
            "queue: 20000",  # too short
            "Long Bursts Lose What Does Not Fit",
            "frames, as behind a queue of ",
        ),
        (
            "connection_scale",
            "l4-gateway",
            "options:",
            "options:\n    connections: 1500",  # its table is too small
            "So Many Are Held",
            "FAIL: concurrent connections of users is 1,",
        ),
        (
            "dns_responder",
            "dns-gateway",
            '"198.19.1.54:53"',
            '"198.19.1.99:53"',  # nobody is there
            "Each Question Is Answered",
            "FAIL: failed flows of users is",
        ),
        (
            "private_tunnel",
            "tunnel-gateway",
            "options:",
            "options:\n    idle: 1",  # seconds, after which it forgets a silent session
            "Quiet Sessions Are Kept",
            "of 101 sessions were led to a server that does not know them",
        ),
        (
            "syn_flood",
            "l4-syn-proxy",
            "syn_proxy: true",
            "syn_proxy: false",  # it passes SYNs on
            "The Flood Does Not Reach The Servers",
            "the flood left 2000 connections half open at the servers",
        ),
    ],
)
def test_a_planted_defect_is_found_and_named(
    suite: str, testbed: str, right: str, wrong: str, test: str, message: str, tmp_path: Path
) -> None:
    shipped = (TESTBEDS / f"{testbed}.yaml").read_text()
    assert right in shipped
    broken = tmp_path / "broken.yaml"
    broken.write_text(shipped.replace(right, wrong, 1))
    tests = robot(SUITES / f"{suite}.robot", tmp_path / "output", f"TESTBED:{broken}", only=test)
    check_failed(tests[test], message)
