# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Services through nftables policers whose rates are known (ITU-T Y.1564)."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_failed, check_passed, planted, robot

SUITE = data_root() / "suites" / "service_activation" / "services.robot"
SHIPPED = data_root() / "resources" / "testbeds" / "embedded" / "policer.yaml"


@pytest.mark.long
def test_services_that_are_as_promised_pass(tmp_path: Path) -> None:
    tests = robot(SUITE, tmp_path)
    assert len(tests) == 7
    check_passed(tests)


@pytest.mark.long
def test_a_service_by_colour_passes(tmp_path: Path) -> None:
    check_passed(robot(SUITE, tmp_path, only="Data Is Configured By Colour"))


@pytest.mark.parametrize(
    ("option", "value", "test", "message"),
    [
        (
            "ef",
            440,
            "Voice Is Configured",
            "FAIL: frame loss of voice, 512 bytes at 100 % of its CIR",
        ),
        pytest.param(
            "af22",
            1000,
            "Data Is Configured By Colour",
            "FAIL: information rate of data + data beyond, 51",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "bursts",
            "{af11: 24, af22: 8}",
            "Data Has Its Burst Sizes",
            "FAIL: EBS of data beyond, 512 bytes is 4,",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "marks",
            "{af11: af22}",
            "Video Is Configured",
            "FAIL: frames of video that arrived in neither colour at CIR + EIR is",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "burst",
            30,
            "Voice Has Its Burst Size",
            "FAIL: CBS of voice, 512 bytes is 15,",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "bursts",
            "{af11: 30, af22: 12}",
            "Video Has Its Burst Sizes",
            "FAIL: CBS of video, 512 bytes is 15,",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "ef",
            1000,
            "Voice Is Configured",
            "FAIL: information rate of voice, 512 bytes at 125 % of CIR is 2.5",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "af21",
            600,
            "All Services Perform Together",
            "FAIL: frame loss of data, 512 bytes",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_policer_that_is_wrong_is_found(
    option: str, value: object, test: str, message: str, tmp_path: Path
) -> None:
    given = planted(tmp_path, SHIPPED, option, value)
    check_failed(robot(SUITE, tmp_path / "output", given, only=test), test, message)
