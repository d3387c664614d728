# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections through the kernel's NAT44, whose limits are known (RFC 9693)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_failed, check_passed, robot

PLANTED = Path(__file__).parent / "suites" / "nat.robot"
SUITE = data_root() / "suites" / "nat" / "connections.robot"
SHIPPED = data_root() / "resources" / "testbeds" / "embedded" / "nat.yaml"


def limited(folder: Path, limit: str) -> str:
    """A testbed whose gateway has a limit."""
    file = folder / "limited.yaml"
    file.write_text(f"{SHIPPED.read_text(encoding='utf-8')}  options: {{{limit}}}\n", encoding="utf-8")
    return f"TESTBED:{file}"


@pytest.mark.long
def test_a_gateway_without_limits_passes(tmp_path: Path) -> None:
    tests = robot(SUITE, tmp_path)
    assert len(tests) == 3
    check_passed(tests)


@pytest.mark.long
def test_both_directions_are_measured(tmp_path: Path) -> None:
    tests = robot(SUITE.with_name("throughput.robot"), tmp_path)
    assert len(tests) == 2
    check_passed(tests)


def test_flows_beyond_the_table_cannot_be_answered(tmp_path: Path) -> None:
    given = limited(tmp_path, "connections: 700")
    tests = robot(SUITE.with_name("throughput.robot"), tmp_path, given, only="Latency In Both Directions")
    (test,) = tests.values()
    assert test.status == "SKIP"
    assert "300 of 1,000 flows of north did not arrive when they were opened" in test.message


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_the_table_is_found_exactly(seed: int, tmp_path: Path) -> None:
    planted = random.Random(seed).randint(600, 3500)
    given = (limited(tmp_path, f"connections: {planted}"), f"PLANTED:{planted}")
    check_passed(robot(PLANTED, tmp_path, *given, only="Capacity Is Found Exactly"))


@pytest.mark.long
@pytest.mark.parametrize("rate", [1000, 3000])
def test_the_rate_is_found(rate: int, tmp_path: Path) -> None:
    given = (limited(tmp_path, f"rate: {rate}"), f"PLANTED:{rate}")
    check_passed(robot(PLANTED, tmp_path, *given, only="Rate Is Found Within The Resolution"))


@pytest.mark.parametrize(
    ("limit", "test", "message"),
    [
        pytest.param(
            "connections: 1500",
            "Connections Are Held",
            "FAIL: concurrent connections of inside is 1,",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "port_range: 20000-20799",
            "Connections Are Held",
            "FAIL: concurrent connections of inside is ",
            marks=pytest.mark.long,
        ),
        ("rate: 300", "Connections Are Opened Fast Enough", "FAIL: connection rate of inside is "),
    ],
)
def test_a_limit_is_found_and_named(limit: str, test: str, message: str, tmp_path: Path) -> None:
    check_failed(robot(SUITE, tmp_path / "output", limited(tmp_path, limit), only=test), test, message)


def test_entries_that_are_forgotten_are_counted(tmp_path: Path) -> None:
    given = limited(tmp_path, "idle: 1")
    check_passed(robot(PLANTED, tmp_path, given, only="What Is Held Is Forgotten"))


def test_a_router_is_no_nat(tmp_path: Path) -> None:
    tests = robot(PLANTED, tmp_path, "TESTBED:embedded/l3-router", only="Nothing Is Translated")
    (test,) = tests.values()
    assert test.status == "SKIP"
    assert "connections that kept their address and port (the device does not translate)" in test.message
