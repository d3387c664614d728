# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""TCP over a line whose rate, delay, queue and MTU are known (RFC 6349)."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_failed, check_passed, planted, robot

SUITE = data_root() / "suites" / "tcp_throughput" / "path.robot"
SHIPPED = data_root() / "resources" / "testbeds" / "embedded" / "long-line.yaml"


@pytest.mark.long
def test_a_path_that_is_as_promised_passes(tmp_path: Path) -> None:
    tests = robot(SUITE, tmp_path)
    assert len(tests) == 4
    check_passed(tests)


def test_several_connections_fill_the_path(tmp_path: Path) -> None:
    check_passed(robot(SUITE, tmp_path, "PROFILE_NAME:quick", only="Several Connections Share The Path"))


@pytest.mark.parametrize(
    ("option", "value", "test", "message"),
    [
        pytest.param(
            "mtu",
            "1280",
            "Packets Of The Promised MTU Get Through",
            "path MTU of probe is 1,280 bytes, required",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "rate",
            "19 Mbps",
            "The Bottleneck Carries What Is Promised",
            "FAIL: frame loss of full, 1518 bytes is",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "queue",
            "20000",
            "Several Connections Share The Path",
            "FAIL: TCP throughput of users, window 2x of the bandwidth-delay product is",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_path_that_is_not_as_promised_is_found(
    option: str, value: str, test: str, message: str, tmp_path: Path
) -> None:
    given = planted(tmp_path, SHIPPED, option, value)
    check_failed(robot(SUITE, tmp_path / "output", given, only=test), test, message)
