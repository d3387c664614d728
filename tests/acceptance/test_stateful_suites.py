# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suites about connections on devices that are right, and on each one planted defect, which they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from .robots import check_failed, check_passed, robot

SUITES = Path("suites/stateful")
TESTBEDS = Path("resources/testbeds/embedded")


@pytest.mark.parametrize("suite", ["l7_load_balancer", "l4_gateway", "syn_flood"])
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
            "unfair balance: of 400 requests",
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
    tests = robot(SUITES / f"{suite}.robot", tmp_path / "output", f"TESTBED:{broken}")
    check_failed(tests[test], message)
