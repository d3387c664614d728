# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames in, frames out, of the embedded devices."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6NDOptDstLLAddr, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.testbeds import InterfaceCounters, RunningTestbed, open_testbed

from .conftest import exchange

P1, P2 = "02:00:00:00:00:01", "02:00:00:00:00:02"
FRAMES = 5_000


def _wire(packet: Packet) -> bytes:
    return bytes(packet).ljust(60, b"\0")


def _to_bridge(*tags: Packet) -> bytes:
    frame = Ether(dst=P2, src=P1)
    for tag in tags:
        frame /= tag
    return _wire(frame / IP(src="198.18.1.2", dst="198.18.1.3") / UDP(sport=1024, dport=7) / Raw(b"\0" * 18))


def _hello(interface: str, mac: str) -> tuple[str, bytes]:
    """A frame by which the bridge learns where the address is."""
    return interface, _wire(Ether(dst=mac, src=mac, type=0x88B5))  # local experiments: nobody answers


def _difference(
    before: Mapping[str, InterfaceCounters], after: Mapping[str, InterfaceCounters]
) -> dict[str, dict[str, int]]:
    return {
        name: {key: value - asdict(before[name])[key] for key, value in asdict(after[name]).items()}
        for name in after
    }


def test_the_bridge_forwards_all_and_counts_alike() -> None:
    with open_testbed("l2-bridge") as testbed:
        exchange(testbed, _hello("eth2", P2))
        before = testbed.kernel_counters()
        frame = _to_bridge()
        out = exchange(testbed, ("eth1", frame), count=FRAMES)
        moved = _difference(before, testbed.kernel_counters())
    assert out == [("eth2", frame)] * FRAMES
    octets = FRAMES * len(frame)
    nothing = dict.fromkeys(asdict(before["p1"]), 0)
    assert moved == {
        "p1": nothing | {"rx_packets": FRAMES, "rx_bytes": octets},
        "p2": nothing | {"tx_packets": FRAMES, "tx_bytes": octets},
    }


@pytest.mark.parametrize("tags", [(Dot1Q(vlan=7),), (Dot1AD(vlan=100), Dot1Q(vlan=7))])
def test_vlan_tags_go_through_the_bridge_in_the_frame(tags: tuple[Packet, ...]) -> None:
    with open_testbed("l2-bridge") as testbed:
        exchange(testbed, _hello("eth2", P2))
        frame = _to_bridge(*tags)
        assert exchange(testbed, ("eth1", frame)) == [("eth2", frame)]


def _neighbours(testbed: RunningTestbed, family: int) -> list[Packet]:
    """The router's answers to each port that asks for its gateway."""
    asked = []
    for interface, mac, port in zip(("eth1", "eth2"), (P1, P2), testbed.testbed.ports, strict=True):
        assert port.address is not None
        address, gateway = str(port.address.ip), str(port.gateway)
        if family == 4:
            question = Ether(dst="ff:ff:ff:ff:ff:ff", src=mac) / ARP(hwsrc=mac, psrc=address, pdst=gateway)
        else:
            group = f"ff02::1:ff00:{gateway.rpartition(':')[2]}"
            solicit = ICMPv6ND_NS(tgt=gateway) / ICMPv6NDOptSrcLLAddr(lladdr=mac)
            question = Ether(dst="33:33:ff:00:00:01", src=mac) / IPv6(src=address, dst=group) / solicit
        asked.append((interface, _wire(question)))
    return [Ether(frame) for _, frame in sorted(exchange(testbed, *asked))]


def test_the_router_answers_arp_and_forwards_ipv4() -> None:
    with open_testbed("l3-router") as testbed:
        answers = _neighbours(testbed, 4)
        assert [answer[ARP].psrc for answer in answers] == ["198.18.1.1", "198.19.1.1"]
        gateway = answers[0][ARP].hwsrc
        packet = IP(src="198.18.1.2", dst="198.19.1.2", ttl=64) / UDP(sport=1024, dport=7) / Raw(b"\0" * 18)
        before = testbed.kernel_counters()
        out = exchange(testbed, ("eth1", _wire(Ether(dst=gateway, src=P1) / packet)), count=FRAMES)
        moved = _difference(before, testbed.kernel_counters())
        routed = Ether(dst=P2, src=answers[1][ARP].hwsrc) / packet
        routed[IP].ttl = 63
        assert out == [("eth2", _wire(routed))] * FRAMES
        assert (moved["p1"]["rx_packets"], moved["p1"]["tx_packets"]) == (FRAMES, 0)
        assert (moved["p2"]["rx_packets"], moved["p2"]["tx_packets"]) == (0, FRAMES)


def test_the_router_answers_discovery_and_forwards_ipv6() -> None:
    with open_testbed("l3-router-ipv6") as testbed:
        answers = _neighbours(testbed, 6)
        assert [answer[ICMPv6ND_NA].tgt for answer in answers] == ["2001:2:0:1::1", "2001:2:0:2::1"]
        gateway = answers[0][ICMPv6NDOptDstLLAddr].lladdr
        packet = IPv6(src="2001:2:0:1::2", dst="2001:2:0:2::2", hlim=64) / UDP(sport=1024, dport=7)
        out = exchange(testbed, ("eth1", _wire(Ether(dst=gateway, src=P1) / packet)), count=100)
        assert len(out) == 100
        for interface, frame in out:
            assert interface == "eth2"
            assert (Ether(frame).dst, Ether(frame)[IPv6].hlim) == (P2, 63)


def test_the_router_asks_for_an_ipv6_host_that_it_does_not_know() -> None:
    with open_testbed("l3-router-ipv6") as testbed:
        gateway = _neighbours(testbed, 6)[0][ICMPv6NDOptDstLLAddr].lladdr
        packet = IPv6(src="2001:2:0:1::2", dst="2001:2:0:2::60") / UDP(sport=1024, dport=7)
        ((interface, frame),) = exchange(testbed, ("eth1", _wire(Ether(dst=gateway, src=P1) / packet)))
        assert (interface, Ether(frame)[ICMPv6ND_NS].tgt) == ("eth2", "2001:2:0:2::60")


@pytest.mark.parametrize(
    ("rights", "name"),
    [
        ("root", "l2-bridge"),
        pytest.param("root", "l3-router", marks=pytest.mark.long),
        pytest.param("root", "l3-router-ipv6", marks=pytest.mark.long),
        pytest.param("user namespace", "l2-bridge", marks=pytest.mark.long),
        pytest.param("user namespace", "l3-router", marks=pytest.mark.long),
        ("user namespace", "l3-router-ipv6"),
    ],
    indirect=["rights"],
)
def test_a_device_says_nothing_by_itself(name: str) -> None:
    with open_testbed(name) as testbed:
        opened = testbed.kernel_counters()
        assert exchange(testbed, wait=2.5) == []
        assert testbed.kernel_counters() == opened


# In the router: takes datagrams of the tester and says on which CPUs the kernel has handed them over.
_LISTENER = """
import socket
listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.bind(("198.18.1.1", 7))
listener.connect(("198.18.1.2", 1024))  # the kernel notes the CPU for connected sockets only
listener.settimeout(10)
print("ready", flush=True)
cpus = set()
for _ in range(20):
    listener.recv(2048)
    cpus.add(listener.getsockopt(socket.SOL_SOCKET, 49))  # SO_INCOMING_CPU
print(*cpus)
"""


def test_the_device_works_on_another_cpu_than_the_tester(rights: str) -> None:
    with open_testbed("l3-router") as testbed:
        if len(os.sched_getaffinity(0)) < 2:
            pytest.skip("needs two CPUs")
        if rights != "root" and not Path("/proc/sys/net/core/rps_default_mask").exists():
            assert testbed.notes[0].startswith(
                "the device shares a CPU with the tester: receive packet steering"
            )
            return
        assert testbed.notes == ()
        assert testbed.dut_cpu not in testbed.engine_cpus
        gateway = _neighbours(testbed, 4)[0][ARP].hwsrc
        packet = IP(src="198.18.1.2", dst="198.18.1.1") / UDP(sport=1024, dport=7) / Raw(b"\0" * 18)
        command = [*testbed.dut_prefix, sys.executable, "-c", _LISTENER]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
            assert listener.stdout is not None
            assert listener.stdout.readline() == "ready\n"
            exchange(testbed, ("eth1", _wire(Ether(dst=gateway, src=P1) / packet)), count=20, wait=0.1)
            assert listener.stdout.readline() == f"{testbed.dut_cpu}\n"
