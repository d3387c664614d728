# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import replace
from ipaddress import ip_address, ip_interface
from pathlib import Path

import jsonschema
import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.files import paths
from TesterLibrary.model.ports import Forwarding, Port
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.testbeds import CertificateFiles, load_testbed, shipped_testbeds
from TesterLibrary.testbeds.testbed import DutSpec

GOOD = """\
version: 1
name: lab
tester:
  cpus: [3]
ports:
  - name: p1
    interface: iface:eth1
    speed: 10 Gbps
    mac: 02:00:00:00:00:01
    address: 198.18.1.2/16
    gateway: 198.18.1.1
  - name: p2
    interface: pci:0000:03:00.0
    speed: 25 Gbps
dut:
  name: Switch
  kind: physical
"""


def _load(folder: Path, text: str) -> object:
    path = folder / "lab.yaml"
    path.write_text(text)
    return load_testbed(str(path))


def _problem(folder: Path, text: str) -> str:
    with pytest.raises(TestbedError) as caught:
        _load(folder, text)
    return str(caught.value).replace(str(folder / "lab.yaml"), "lab.yaml")


def test_a_file_becomes_a_testbed(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(GOOD)
    testbed = load_testbed(str(path))
    assert (testbed.name, testbed.source, testbed.tester.cpus) == ("lab", path, (3,))
    assert testbed.tester.is_local
    assert testbed.tester.queues == 1
    assert not testbed.dut.is_embedded
    p1, p2 = testbed.ports
    assert p1.speed == Bandwidth(10 * 10**9)
    assert p1.mac == bytes.fromhex("020000000001")
    assert (p1.address, p1.gateway) == (ip_interface("198.18.1.2/16"), ip_address("198.18.1.1"))
    assert (p2.interface, p2.mac, p2.address) == ("pci:0000:03:00.0", None, None)
    with pytest.raises(KeyError, match="no port 'p3'; it has p1, p2"):
        testbed.port("p3")


def test_the_planner_gets_the_port_with_what_the_tester_knows(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(GOOD)
    p1, p2 = load_testbed(str(path)).ports
    its_own = bytes.fromhex("0a0000000009")
    expected = Port("p1", Bandwidth(10 * 10**9), bytes.fromhex("020000000001"), 1518, p1.address, p1.gateway)
    assert p1.described_by(its_own, 1518) == expected
    assert p2.described_by(its_own, 9018).mac == its_own


def test_each_shipped_testbed_is_right() -> None:
    schema = json.loads(paths.report_file("schemas/testbed.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert {"embedded/l2-bridge", "embedded/l3-router", "two-nics"} <= shipped_testbeds().keys()
    for name, path in shipped_testbeds().items():
        assert load_testbed(name) == load_testbed(str(path)) == load_testbed(path.stem)
        assert load_testbed(name).dut.is_embedded == name.startswith("embedded/")


@pytest.mark.parametrize("says", ["layer: 3", "forwarding: routed", "layer: 3\n  forwarding: translated"])
def test_a_port_of_a_router_without_its_gateway_is_refused(tmp_path: Path, says: str) -> None:
    """Its frames would go to the other port by MAC address, and the router would drop them."""
    problem = _problem(tmp_path, GOOD.replace("    gateway: 198.18.1.1\n", "") + f"  {says}\n")
    said = says.partition("\n")[0]
    assert problem.startswith(
        f"lab.yaml:6: ports[0].gateway: is missing: a device with {said} forwards only what is sent to it; "
        "give its address on this link, another one of 198.18.0.0/16, or the device layer: 2"
    )


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(
        TestbedError, match=r"no testbed 'l2-brigde' \(did you mean 'l2-bridge'\?\)\. Give "
    ) as caught:
        load_testbed("l2-brigde")
    for name in shipped_testbeds():
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "    speed: 25",
            "    spede: 25",
            "lab.yaml:14: ports[1].spede: there is no such key (did you mean 'speed'?); "
            "allowed are name, interface, speed, mac, address, gateway, fec, mtu",
        ),
        ("version: 1", "version: 2", "lab.yaml:1: version: 2 is not allowed; give 1, the version"),
        ("name: lab", "name: my lab", "lab.yaml:2: name: 'my lab' is not allowed; give a name of 1 to 64"),
        (
            "  kind: physical",
            "  layer: 2",
            "lab.yaml:15: dut.kind: is missing; give embedded, physical or simulated",
        ),
        ("kind: physical", "kind: embeded", "'embeded' is not allowed (did you mean 'embedded'?); give emb"),
        ("[3]", "[3, 3]", "lab.yaml:4: tester.cpus[1]: 3 is in line 4 already, as tester.cpus[0]; each"),
        (
            "  cpus: [3]",
            "  queues: 0",
            "lab.yaml:4: tester.queues: 0 is not allowed; give the number of queues",
        ),
        ("[3]", "[x]", "lab.yaml:4: tester.cpus[0]: 'x' is not allowed; give a CPU number"),
        ("iface:eth1", "eth1", "ports[0].interface: 'eth1' is not allowed; give iface:NAME"),
        (
            "pci:0000:03:00.0",
            "iface:eth1",
            "lab.yaml:13: ports[1].interface: 'iface:eth1' is in line 7 already",
        ),
        ("name: p2", "name: p1", "lab.yaml:12: ports[1].name: 'p1' is in line 6 already, as ports[0].name"),
        ("25 Gbps", "fast", "lab.yaml:14: ports[1].speed: 'fast' is not a bandwidth; write a number with"),
        ("02:00:00:00:00:01", "01:00:00:00:00:01", "ports[0].mac: '01:00:00:00:00:01' is not allowed"),
        ("198.18.1.2/16", "198.18.1.2", "ports[0].address: '198.18.1.2' has no prefix length; write"),
        ("198.18.1.2/16", "198.18.1/16", "lab.yaml:10: ports[0].address: '198.18.1/16' does not appear"),
        ("    address: 198.18.1.2/16\n", "", "ports[0].gateway: 198.18.1.1 has to go with an address"),
        (
            "198.18.1.1\n",
            "10.0.0.1\n",
            "ports[0].gateway: 10.0.0.1 has to be another address of 198.18.0.0/16",
        ),
        (
            "kind: physical",
            "kind: physical\n  layer: 2",
            "lab.yaml:11: ports[0].gateway: a device with layer: 2 has no address to be a gateway; leave the",
        ),
        (
            "kind: physical",
            "kind: physical\n  layer: 3\n  forwarding: bridged",
            "ports[0].gateway: a device with forwarding: bridged has no address to be a gateway",
        ),
        ("198.18.1.1\n", "2001:2::1\n", "ports[0].gateway: 2001:2::1 has to be another address of"),
        ("    interface: iface:eth1\n", "", "lab.yaml:6: ports[0].interface: is missing; a NIC's"),
        ("  kind: physical", "  kind: physical\n  device: router", "lab.yaml:18: dut.device: only for kind"),
        (
            "  kind: physical",
            "  kind: physical\n  forwarding: nat",
            "lab.yaml:18: dut.forwarding: 'nat' is not allowed; give bridged, routed or translated",
        ),
        ("  kind: physical", "  kind: physical\n  options: {a: 1}", "dut.options: only for kind: embedded"),
        ("  cpus: [3]", "  address: tcp:lab:1", "tester.address: 'tcp:lab:1' is not allowed; give unix:PATH"),
        (
            "  cpus: [3]",
            "  cpus: [3]\n  address: unix:/t",
            "lab.yaml:4: tester.cpus: only for a tester to be",
        ),
        ("  cpus: [3]", "  address: grpc+tls:lab:1", "tester.address: grpc+tls needs certificates"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in GOOD
    assert problem in _problem(tmp_path, GOOD.replace(old, new))


def test_ports_of_a_tester_elsewhere_need_no_interface(tmp_path: Path) -> None:
    """It was started with them; here they are known by their names."""
    text = GOOD.replace("    interface: iface:eth1\n", "").replace("  cpus: [3]", "  address: unix:/t")
    assert "tester.address" not in str(_load(tmp_path, text))


@pytest.mark.parametrize("text", ["", "- 1\n", "just text\n"])
def test_a_file_that_says_nothing(tmp_path: Path, text: str) -> None:
    assert "give a mapping with version, name, ports and dut" in _problem(tmp_path, text)


def test_all_mistakes_are_named_at_once_and_in_order(tmp_path: Path) -> None:
    text = GOOD.replace("version: 1", "versio: 1").replace("name: lab", "nam: lab").replace("25 Gbps", "[1]")
    assert [line.split(": ")[1] for line in _problem(tmp_path, text).splitlines()] == [
        *("versio", "version", "name", "nam"),
        "ports[1].speed",
    ]


EMBEDDED = """\
version: 1
name: mine
ports:
  - {name: p1, speed: 1 Gbps}
dut: {name: mine, kind: embedded, device: bridge}
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("device: bridge", "device: brigde", "'brigde' is no embedded device (did you mean 'bridge'?); give"),
        (", device: bridge", "", "lab.yaml:5: dut.device: '' is no embedded device; give balancer or "),
        ("bridge}", "bridge, options: {rate: 1 Gbps}}", "is not allowed; leave it out: a bridge has none"),
        ("bridge}", "shaper}", "lab.yaml:5: dut.options: is missing; give rate, burst and queue"),
        (
            "bridge}",
            "router, options: {neighbour: aged}}",
            "dut.options.neighbour: there is no such key (did you mean 'neighbours'?); allowed are",
        ),
        ("bridge}", "gateway, options: {service: www, servers: []}}", "give ADDRESS:PORT that clients conn"),
        ("name: p1", "name: br0", "lab.yaml:4: ports[0].name: 'br0' has to do as the name"),
        ("name: p1", "name: p1, interface: 'iface:x'", "ports[0].interface: leave it out"),
        (
            "name: mine\n",
            "name: mine\ntester: {address: 'unix:/t'}\n",
            "lab.yaml:3: tester.address: leave it",
        ),
    ],
)
def test_mistakes_of_embedded_testbeds(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert problem in _problem(tmp_path, EMBEDDED.replace(old, new))


def test_certificates_are_found_beside_the_file(tmp_path: Path) -> None:
    remote = "  address: grpc+tls:lab:50051\n  certificates: {ca: c/a, certificate: c/b, key: c/k}"
    text = GOOD.replace("  cpus: [3]", remote)
    assert f"lab.yaml:5: tester.certificates.ca: there is no file {tmp_path / 'c/a'}" in _problem(
        tmp_path, text
    )
    (tmp_path / "c").mkdir()
    for name in "abk":
        (tmp_path / "c" / name).touch()
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    spec = load_testbed(str(path)).tester
    assert spec.certificates == CertificateFiles(*(tmp_path / "c" / name for name in "abk"))
    assert not spec.is_local


@pytest.mark.parametrize(
    ("name", "forwarding"),
    [
        ("embedded/loopback", Forwarding.BRIDGED),
        ("embedded/l2-bridge", Forwarding.BRIDGED),
        ("embedded/shaper", Forwarding.BRIDGED),
        ("embedded/l3-router", Forwarding.ROUTED),
        ("embedded/arp-router", Forwarding.ROUTED),
        ("embedded/l4-gateway", Forwarding.TRANSLATED),
        ("embedded/l7-balancer", Forwarding.TRANSLATED),
        ("embedded/tunnel-gateway", Forwarding.TRANSLATED),
        ("two-nics", Forwarding.ROUTED),
    ],
)
def test_each_device_forwards_as_its_kind_does(name: str, forwarding: Forwarding) -> None:
    assert load_testbed(name).dut.forwards is forwarding


def test_the_file_says_how_a_device_forwards() -> None:
    dut = DutSpec("device", layer=3)
    assert dut.forwards is Forwarding.ROUTED
    assert replace(dut, layer=None).forwards is Forwarding.TRANSLATED
    assert replace(dut, forwarding=Forwarding.TRANSLATED).forwards is Forwarding.TRANSLATED


def test_an_embedded_port_may_carry_longer_packets(tmp_path: Path) -> None:
    text = (paths.data_root() / "resources/testbeds/embedded/l2-bridge.yaml").read_text()
    file = tmp_path / "bridge.yaml"
    file.write_text(text.replace("    address: 198.18.1.2/16", "    mtu: 2000\n    address: 198.18.1.2/16"))
    assert [port.mtu for port in load_testbed(str(file)).ports] == [2000, None]


def test_an_interface_of_yours_keeps_its_mtu(tmp_path: Path) -> None:
    problem = _problem(tmp_path, GOOD.replace("    speed: 25", "    mtu: 2000\n    speed: 25"))
    assert problem == "lab.yaml:14: ports[1].mtu: leave it out: an interface of yours keeps its own"


def test_only_a_physical_device_has_a_shell_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    text = (paths.data_root() / "resources/testbeds/embedded/l2-bridge.yaml").read_text()
    path.write_text(text.replace("dut:\n", "dut:\n  shell: {}\n"), encoding="utf-8")
    with pytest.raises(TestbedError, match=r"dut\.shell: only for kind: physical; Run In Device"):
        load_testbed(str(path))
