# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The list `testers` of a testbed file."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.testbeds import load_testbed
from TesterLibrary.testbeds.running import RunningTestbed
from TesterLibrary.testbeds.testbed import Testbed

GOOD = """\
version: 1
name: lab
testers:
  - name: left
    cpus: [0]
    ports: [p1]
  - name: right
    address: unix:/run/right
    lease: 5 min
    ports: [p2, p3]
ports:
  - {name: p1, interface: "iface:eth1", speed: 10 Gbps}
  - {name: p2, speed: 10 Gbps}
  - {name: p3, speed: 25 Gbps}
dut:
  name: Switch
  kind: physical
"""


def _load(folder: Path, text: str) -> Testbed:
    path = folder / "lab.yaml"
    path.write_text(text)
    return load_testbed(str(path))


def test_each_tester_has_its_ports(tmp_path: Path) -> None:
    testbed = _load(tmp_path, GOOD)
    left, right = testbed.testers
    assert (left.name, left.ports, left.spec.cpus, left.spec.is_local) == ("left", ("p1",), (0,), True)
    assert (right.name, right.ports, right.spec.address) == ("right", ("p2", "p3"), "unix:/run/right")
    assert [port.name for port in testbed.of_tester(right).ports] == ["p2", "p3"]
    assert testbed.of_tester(right).only_tester == right.spec
    assert testbed.spec_of("p3") == right.spec
    assert testbed.specs == (left.spec, right.spec)


def test_who_takes_one_tester_refuses_several_by_name(tmp_path: Path) -> None:
    with pytest.raises(TestbedError, match=r"'lab' has several testers \(left, right\)"):
        _ = _load(tmp_path, GOOD).only_tester


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("name: right", "name: left", "'left' is in line 4 already"),
        ("ports: [p2, p3]", "ports: [p2, p1]", "'p1' is in line 6 already"),
        ("ports: [p2, p3]", "ports: [p2]", "port 'p3' belongs to no tester"),
        ("ports: [p2, p3]", "ports: [p2, p3, p4]", "there is no port 'p4'; ports has p1, p2, p3"),
        ("ports: [p2, p3]", "ports: []", "give the names of its ports"),
        ("cpus: [0]", "cpu: [0]", "there is no such key (did you mean 'cpus'?)"),
        ("cpus: [0]", "address: unix:/run/right", "'unix:/run/right' is in line 5 already"),
        ("cpus: [0]", "lease: 5 years", "lease"),
        (
            "ports:\n  - {name: p1",
            "tester: {cpus: [1]}\nports:\n  - {name: p1",
            "leave it out, or else testers",
        ),
        ('interface: "iface:eth1", ', "", "interface: is missing"),
        ("name: right", "name: Right", "give a lower-case letter"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, before: str, after: str, problem: str) -> None:
    assert before in GOOD
    with pytest.raises(TestbedError, match=r"lab\.yaml:\d+") as caught:
        _load(tmp_path, GOOD.replace(before, after, 1))
    assert problem in str(caught.value)


def test_a_tester_that_is_alone_is_no_list(tmp_path: Path) -> None:
    one = GOOD[: GOOD.index("  - name: right")] + GOOD[GOOD.index("ports:\n  - {name") :]
    with pytest.raises(TestbedError, match="one tester is given as tester"):
        _load(tmp_path, one)


def test_local_testers_get_the_last_cpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    testbed = _load(
        tmp_path,
        GOOD.replace("    cpus: [0]\n", "")
        .replace("    address: unix:/run/right\n", "")
        .replace("    lease: 5 min\n", "")
        .replace("{name: p2, ", '{name: p2, interface: "iface:eth2", ')
        .replace("{name: p3, ", '{name: p3, interface: "iface:eth3", '),
    )
    gives_way = ("taskset", "--cpu-list", "0")
    for usable, cpus in (({0, 1, 2, 3}, [(3,), (2,)]), ({0, 1}, [(1,), (0,)]), ({4}, [(4,), (4,)])):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, usable=usable: usable)
        running = RunningTestbed(testbed)
        views = [running.of_tester(tester) for tester in testbed.testers]
        assert [view.engine_cpus for view in views] == cpus
        if usable == {0, 1}:
            assert [view.command_prefix for view in views] == [(), gives_way]
        if len(usable) == 4:
            assert not any(view.command_prefix for view in views)
