# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 3918 over four ports of a bridge whose memberships and rates are known."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import SUITES, check_failed, check_passed, robot, run

SHIPPED = data_root() / "suites" / "multicast"
TESTBED = data_root() / "resources" / "testbeds" / "embedded" / "l2-multicast.yaml"


def planted(folder: Path, option: str) -> Path:
    """The testbed of the bridge with another option."""
    name = option.partition(":")[0]
    lines = TESTBED.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.split(":")[0].strip() != name]
    file = folder / "planted.yaml"
    file.write_text("\n".join([*kept, f"    {option}", ""]), encoding="utf-8")
    return file


@pytest.mark.parametrize("tests", ["Groups *", pytest.param("*", marks=pytest.mark.long)])
def test_a_bridge_that_snoops(tests: str, tmp_path: Path) -> None:
    check_passed(robot(SUITES / "multicast.robot", tmp_path, only=tests))


@pytest.mark.long
@pytest.mark.parametrize("versions", ["* Version 2", "* Version [13]"])
def test_members_that_answer_keep_their_groups(versions: str, tmp_path: Path) -> None:
    """IGMP and MLD: others are pruned."""
    file = planted(tmp_path, "query: 1 s\n    membership: 3 s")
    check_passed(robot(SUITES / "group_hosts.robot", tmp_path / "output", f"TESTBED:{file}", only=versions))


@pytest.mark.long
def test_groups_go_through_tunnels(tmp_path: Path) -> None:
    check_passed(run("tunnels.robot", tmp_path))


@pytest.mark.long
def test_a_bridge_that_floods(tmp_path: Path) -> None:
    tests = run("flooding.robot", tmp_path / "output", f"TESTBED:{planted(tmp_path, 'snooping: false')}")
    leak = "at ports that are no members is "
    check_failed(tests, "A Flooded Group Is A Leak", leak)
    assert "at p3, p4, required none" in tests["A Flooded Group Is A Leak"].message
    known = tests["Delays Of A Flooded Group Are Not Known"]
    assert (known.status, "arrived before the port joined it" in known.message) == ("SKIP", True), (
        known.message
    )


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_found_exactly(seed: int, tmp_path: Path) -> None:
    entries = random.Random(seed).randint(20, 390)
    file = planted(tmp_path, f"most_groups: {entries}")
    tests = run("groups.robot", tmp_path / "output", f"TESTBED:{file}", f"PLANTED:{entries}")
    check_passed(tests)


@pytest.mark.long
@pytest.mark.timeout(2000)
@pytest.mark.parametrize("suite", sorted(path.stem for path in SHIPPED.glob("[a-z]*.robot")))
def test_the_shipped_suites_pass(suite: str, tmp_path: Path) -> None:
    check_passed(robot(SHIPPED / f"{suite}.robot", tmp_path, seconds=600))
