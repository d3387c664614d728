# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbeds whose tester is in a switch."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.testbeds import load_testbed
from TesterLibrary.testbeds.fake_devices import RouterTable, Shaper
from TesterLibrary.testbeds.testbed import SwitchSpec

GOOD = """\
version: 1
name: lab
tester:
  switch:
    address: tor1:50052
    program: mine
    cpu_interface: eth7
    loopback_ports: [128, 132]
ports:
  - name: p1
    interface: front:1/0
    speed: 100 Gbps
    fec: rs
    mac: 02:00:00:00:00:01
dut:
  name: a router
  kind: physical
"""


def _written(folder: Path, text: str) -> str:
    path = folder / "lab.yaml"
    path.write_text(text)
    return str(path)


def test_a_file_names_a_switch(tmp_path: Path) -> None:
    testbed = load_testbed(_written(tmp_path, GOOD))
    expected = SwitchSpec("tor1:50052", "mine", "tofino", "eth7", None, (128, 132))
    assert (testbed.tester.switch, testbed.tester.is_local) == (expected, False)
    assert (testbed.port("p1").interface, testbed.port("p1").fec) == ("front:1/0", "rs")


def test_a_build_is_a_folder_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    testbed = load_testbed(_written(tmp_path, GOOD.replace("program: mine", "build: out")))
    assert testbed.tester.switch is not None
    assert testbed.tester.switch.build == tmp_path / "out"


def test_the_device_behind_a_fake_switch_shapes(tmp_path: Path) -> None:
    shaper = "    shaper: {rate: 20 Mbps, burst: 60000, queue: 3000}\n"
    text = GOOD.replace("tor1:50052", "fake").replace("    program: mine\n", shaper)
    testbed = load_testbed(_written(tmp_path, text))
    assert testbed.tester.switch is not None
    assert testbed.tester.switch.shaper == Shaper(Bandwidth(20_000_000), 60_000, 3000)


MAC = "    mac: 02:00:00:00:00:01\n"
ROUTED = f"{MAC}    address: 198.18.1.2/16\n    gateway: 198.18.1.1\n"


def test_the_device_behind_a_fake_switch_routes(tmp_path: Path) -> None:
    router = "    router: {most_neighbours: 512, learning_rate: 462/s, ageing: 2 s}\n"
    text = GOOD.replace("tor1:50052", "fake").replace("    program: mine\n", router)
    testbed = load_testbed(_written(tmp_path, text.replace(MAC, ROUTED)))
    assert testbed.tester.switch is not None
    expected = RouterTable(512, Frequency.parse("462/s"), Duration(2 * 10**9))
    assert testbed.tester.switch.router == expected


@pytest.mark.parametrize(
    ("device", "port", "problem"),
    [
        ("router: {ageing: 2 s}", "", "router: no port has a gateway, so behind the switch is a bridge"),
        (
            "shaper: {rate: 20 Mbps, burst: 60000, queue: 3000}",
            ROUTED,
            "shaper: a port has a gateway, so behind the switch is a router, which does not shape; leave",
        ),
        ("router: {ageing: soon}", ROUTED, "switch.router.ageing: 'soon' is not a time"),
        ("router: {learning_rate: 462}", ROUTED, "switch.router.learning_rate: 462 is not allowed; give how"),
        ("router: {most_neighbours: 0}", ROUTED, "router.most_neighbours: 0 is not allowed; give the neigh"),
    ],
)
def test_limits_are_of_the_device_that_is_there(tmp_path: Path, device: str, port: str, problem: str) -> None:
    text = GOOD.replace("tor1:50052", "fake").replace("    program: mine\n", f"    {device}\n")
    with pytest.raises(TestbedError) as refused:
        load_testbed(_written(tmp_path, text.replace(MAC, port or MAC)))
    assert problem in str(refused.value)


BEHIND = """\
version: 1
name: lab
tester: {switch: {address: ADDRESS}}
ports:
  - {name: p1, speed: 1 Gbps}
  - {name: p2, speed: 1 Gbps}
dut: {name: a bridge, kind: embedded, device: bridge}
"""


def test_an_embedded_device_is_behind_a_fake_switch(tmp_path: Path) -> None:
    testbed = load_testbed(_written(tmp_path, BEHIND.replace("ADDRESS", "fake")))
    assert testbed.tester.switch is not None
    assert testbed.tester.switch.is_fake
    assert [port.interface for port in testbed.ports] == ["", ""]


@pytest.mark.parametrize(
    ("switch", "problem"),
    [
        (
            "tor1:50052, cpu_interface: eth7",
            "lab.yaml:3: tester.switch: leave it out: an embedded device has its tester beside it, "
            "or a switch with address: fake or model",
        ),
        (
            "fake, shaper: {rate: 20 Mbps, burst: 60000, queue: 3000}",
            "shaper: behind the switch is the embedded device 'bridge'; leave out one of both",
        ),
        (
            "fake, router: {ageing: 2 s}",
            "router: behind the switch is the embedded device 'bridge'; leave out one of both",
        ),
    ],
)
def test_no_other_device_is_where_an_embedded_one_is(tmp_path: Path, switch: str, problem: str) -> None:
    with pytest.raises(TestbedError) as refused:
        load_testbed(_written(tmp_path, BEHIND.replace("ADDRESS", switch)))
    assert problem in str(refused.value)


def test_a_model_is_started_with_its_testbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written = _written(tmp_path, BEHIND.replace("ADDRESS", "model"))
    switch = load_testbed(written).tester.switch
    assert switch is not None
    assert (switch.is_started, switch.model, switch.build) == (True, True, "tofino")
    folder = Path("results", "p4", "tofino")
    folder.mkdir(parents=True)
    switch = load_testbed(written).tester.switch
    assert switch is not None
    assert switch.build == folder


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            BEHIND.replace("ADDRESS", "model, cpu_interface: eth7"),
            "tester.switch.cpu_interface: only with another address",
        ),
        (
            GOOD.replace("tor1:50052", "model").replace("    cpu_interface: eth7\n", ""),
            "tester.switch.address: its ports end in cables to an embedded device; give dut.kind: embedded",
        ),
    ],
)
def test_what_a_model_cannot_have(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(TestbedError) as refused:
        load_testbed(_written(tmp_path, text))
    assert problem in str(refused.value)


def test_shipped_ones() -> None:
    fake, model, switch = (
        load_testbed(f"tofino-{name}").tester.switch for name in ("fake", "model", "switch")
    )
    assert fake is not None
    assert model is not None
    assert switch is not None
    assert (fake.is_fake, model.is_fake, model.model, switch.model) == (True, False, True, False)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "    program: mine\n",
            "    shaper: {rate: 20 Mbps, burst: 60000, queue: 3000}\n",
            "tester.switch.shaper: only with address: fake; behind another switch is a device of yours",
        ),
        (
            "    program: mine\n",
            "    router: {ageing: 2 s}\n",
            "tester.switch.router: only with address: fake; behind another switch is a device of yours",
        ),
        (
            "    program: mine\n",
            "    shaper: {rate: fast, burst: 60000, queue: 3000}\n",
            "tester.switch.shaper.rate: 'fast' is not a bandwidth",
        ),
        (
            "address: tor1:50052",
            "address: tor1",
            "lab.yaml:5: tester.switch.address: 'tor1' is not allowed; give HOST",
        ),
        (
            "    cpu_interface: eth7\n",
            "",
            "tester.switch.cpu_interface: is missing: the interface of this machine",
        ),
        (
            "[128, 132]",
            "[128, 512]",
            "tester.switch.loopback_ports[1]: 512 is not allowed; give a device port, 0 to 511",
        ),
        (
            "    cpu_interface: eth7\n",
            "    cpu_interface: eth7\n    clock_mhz: 1.22\n",
            "tester.switch.clock_mhz: '1.22' is not allowed; give the clock of the chip's pipelines in whole",
        ),
        (
            "front:1/0",
            "iface:eth1",
            "lab.yaml:11: ports[0].interface: 'iface:eth1' is no port of a switch; give front:",
        ),
        (
            "    mac: 02:00:00:00:00:01\n",
            "",
            "ports[0].mac: is missing: a switch gives its ports no addresses",
        ),
        ("fec: rs", "fec: best", "lab.yaml:13: ports[0].fec: 'best' is not allowed; give none, fc or rs"),
        ("  switch:", "  cpus: [1]\n  switch:", "lab.yaml:4: tester.cpus: only without a switch"),
        (
            GOOD[GOOD.index("tester:") : GOOD.index("ports:\n")],
            "",
            "ports[0].interface: only for a tester in a switch",
        ),
        ("kind: physical", "kind: embedded\n  device: cable", "ports[0].interface: leave it out"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in GOOD
    with pytest.raises(TestbedError) as refused:
        load_testbed(_written(tmp_path, GOOD.replace(old, new)))
    assert problem in str(refused.value)
