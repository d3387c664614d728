# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 2889 over four ports of a bridge whose rate and table are known."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_failed, check_passed, robot, run

SHIPPED = data_root() / "suites" / "switching"
TESTBED = data_root() / "resources" / "testbeds" / "embedded" / "l2-switch.yaml"
FAILING = {
    "A Broadcast Above The Rate Of A Port Is Lost": "FAIL: frame loss of all, 1518 bytes is",
    "A Broadcast That Misses A Port Is Lost": "FAIL: frame loss of all, 64 bytes is 100 %",
    "It Forwards Frames That It Should Drop": "FAIL: oversize frames forwarded of oversize, 1001 bytes is 62",
}


def planted(folder: Path, **options: int) -> Path:
    """The testbed of the bridge with other options."""
    lines = TESTBED.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.split(":")[0].strip() not in options]
    more = [f"    {name}: {value}" for name, value in options.items()]
    file = folder / "planted.yaml"
    file.write_text("\n".join([*kept, *more, ""]), encoding="utf-8")
    return file


@pytest.mark.long
def test_a_bridge_with_four_ports(tmp_path: Path) -> None:
    tests = run("switching.robot", tmp_path / "output", f"SHORT:{planted(tmp_path, burst=1020)}")
    for name, text in FAILING.items():
        check_failed(tests, name, text)
    check_passed(tests, apart_from=FAILING)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_found_exactly(seed: int, tmp_path: Path) -> None:
    entries = random.Random(seed).randint(210, 390)
    file = planted(tmp_path, most_addresses=entries)
    tests = run("addresses.robot", tmp_path / "output", f"TESTBED:{file}", f"PLANTED:{entries}")
    check_passed(tests)


@pytest.mark.long
def test_a_switch_that_forwards_oversize_frames_fails(tmp_path: Path) -> None:
    """It has a limit, but not that of the suite."""
    bed = planted(tmp_path, longest=1600)
    criteria = data_root() / "resources" / "criteria" / "embedded" / "l2-switch.yaml"
    tests = robot(
        SHIPPED / "errored_frames.robot", tmp_path / "output", f"TESTBED:{bed}", f"CRITERIA_FILE:{criteria}"
    )
    check_failed(tests, "One Byte Too Long", "FAIL: oversize frames forwarded of oversize, 1519 bytes is 407")
    check_failed(tests, "A Tag Too Long", "FAIL: oversize frames forwarded of oversize, 1522 bytes is 406")
    assert tests["Far Too Long"].passed, tests["Far Too Long"].message


@pytest.mark.long
@pytest.mark.timeout(2000)
@pytest.mark.parametrize("suite", sorted(path.stem for path in SHIPPED.glob("[a-z]*.robot")))
def test_the_shipped_suites_pass(suite: str, tmp_path: Path) -> None:
    check_passed(robot(SHIPPED / f"{suite}.robot", tmp_path, seconds=600))
