# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections through NAT44 and NAT64 of this machine, whose limits are known (RFC 9693)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_failed, check_passed, robot

PLANTED = Path(__file__).parent / "suites" / "nat.robot"
SUITE = data_root() / "suites" / "nat" / "connections.robot"
NAT64 = SUITE.with_name("nat64.robot")
SHIPPED = data_root() / "resources" / "testbeds" / "embedded" / "nat.yaml"


NAT64_BED = SHIPPED.with_name("nat64.yaml")


def limited(folder: Path, limit: str, shipped: Path = SHIPPED) -> str:
    """A testbed whose gateway has a limit."""
    file = folder / "limited.yaml"
    file.write_text(f"{shipped.read_text(encoding='utf-8')}  options: {{{limit}}}\n", encoding="utf-8")
    return f"TESTBED:{file}"


@pytest.mark.long
def test_a_gateway_without_limits_passes(tmp_path: Path) -> None:
    tests = robot(SUITE, tmp_path)
    assert len(tests) == 4
    check_passed(tests)


@pytest.mark.long
def test_both_directions_are_measured(tmp_path: Path) -> None:
    tests = robot(SUITE.with_name("throughput.robot"), tmp_path)
    assert len(tests) == 2
    check_passed(tests)


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_the_teardown_rate_is_found(seed: int, tmp_path: Path) -> None:
    planted = random.Random(seed).randint(500, 4000)
    given = (limited(tmp_path, f"teardown: {planted}"), f"PLANTED:{planted}")
    check_passed(robot(PLANTED, tmp_path, *given, only="Teardown Rate Is Found"))


@pytest.mark.long
def test_a_device_that_deletes_slowly_fails(tmp_path: Path) -> None:
    given, test = limited(tmp_path, "teardown: 2000"), "Connections Are Deleted Fast Enough"
    message = "FAIL: connection tear-down rate of inside is "
    check_failed(robot(SUITE, tmp_path / "output", given, only=test), test, message)


@pytest.mark.long
def test_nat64_passes(tmp_path: Path) -> None:
    tests = robot(NAT64, tmp_path)
    assert len(tests) == 4
    check_passed(tests)


@pytest.mark.long
def test_streams_go_through_nat64_and_back(tmp_path: Path) -> None:
    check_passed(robot(NAT64, tmp_path, only="Latency In Both Directions"))


@pytest.mark.long
def test_a_small_table_of_nat64_is_found(tmp_path: Path) -> None:
    given, test = limited(tmp_path, "connections: 700", NAT64_BED), "Connections Are Held"
    message = "FAIL: concurrent connections of inside is below 1,000; at 1,000 300 failed (300 timed out)"
    check_failed(robot(NAT64, tmp_path / "output", given, only=test), test, message)


@pytest.mark.long
def test_entries_that_are_forgotten_are_counted(tmp_path: Path) -> None:
    given = limited(tmp_path, "idle: 1")
    check_passed(robot(PLANTED, tmp_path, given, only="What Is Held Is Forgotten"))


@pytest.mark.long
def test_connections_that_others_have_answered_are_found_out(tmp_path: Path) -> None:
    only = "Connections That Servers Have Not Seen Are Found Out"
    check_passed(robot(PLANTED, tmp_path, "TESTBED:embedded/nat", only=only))


@pytest.mark.long
def test_a_router_is_no_nat(tmp_path: Path) -> None:
    tests = robot(PLANTED, tmp_path, "TESTBED:embedded/l3-router", only="Nothing Is Translated")
    (test,) = tests.values()
    assert test.status == "SKIP"
    assert "connections that kept their address and port (the device does not translate)" in test.message
