# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
import sys
from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.units.units import FrameSize
from TesterLibrary.planning.frame import announcement
from TesterLibrary.wire.address import Station
from tests.dissection import ones_complement_sum

from .bench import BRIDGED, GATEWAY, MAC1, MAC2, ROUTED, ROUTED6, compiled, port, stream


def udp_sum(frame: bytes) -> int:
    """Over pseudo header and datagram: 0xFFFF when the checksum is right."""
    ip = Ether(frame).payload
    if ip.version == 4:
        header, addresses = frame[14:34], frame[26:34]
        assert ones_complement_sum(header) == 0xFFFF
        datagram = frame[34 : 14 + ip.len]
    else:
        addresses, datagram = frame[22:54], frame[54 : 54 + ip.plen]
    pseudo = addresses + len(datagram).to_bytes(4, "big") + bytes([0, 0, 0, 17])
    return ones_complement_sum(pseudo + datagram)


def test_it_is_the_test_frame_of_the_rfc() -> None:
    """RFC 2544 C.2.6.4: UDP from 0xC020 to echo, filled with counting octets."""
    (planned,) = compiled(stream(frame_size=128)).streams
    frame = Ether(planned.frame)
    assert (frame.dst, frame.src, frame.type) == (MAC2.hex(":"), MAC1.hex(":"), 0x0800)
    assert (frame[IP].ttl, frame[IP].len, frame[IP].frag) == (64, 128 - 18, 0)
    assert (frame[IP].src, frame[IP].dst) == ("198.18.0.2", "198.18.0.3")
    assert (frame[UDP].sport, frame[UDP].dport) == (0xC020, 7)
    assert planned.frame[42:-16] == bytes(range(128 - 4 - 42 - 16))
    assert planned.frame_size == 128


@pytest.mark.parametrize(("ports", "least"), [(BRIDGED, 64), (ROUTED, 64), (ROUTED6, 82)])
@given(data=st.data())
def test_lengths_and_checksums_are_right_whatever_the_signature_says(
    ports: dict[str, object], least: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(least, 1518))
    seed = data.draw(st.integers(0, 2**32))
    (planned,) = compiled(stream(frame_size=size), ports=ports, seed=seed).streams  # type: ignore[arg-type]
    assert len(planned.frame) + 4 == size
    assert udp_sum(planned.frame) == 0xFFFF

    # What a tester writes there keeps the sum (plan.proto), and so keeps the checksum, at odd lengths too.
    written = data.draw(st.binary(min_size=14, max_size=14))
    rest = (ones_complement_sum(planned.frame[-16:]) - ones_complement_sum(written)) % 0xFFFF
    assert udp_sum(planned.frame[:-16] + written + rest.to_bytes(2, "big")) == 0xFFFF


def test_the_fill_is_random_by_seed_and_stream_and_else_always_the_same() -> None:
    def fills(seed: int) -> list[bytes]:
        pair = compiled(stream(rate="1 %"), stream(name="b", rate="1 %"), seed=seed).streams
        return [planned.frame[-16:] for planned in pair]

    assert fills(1) == fills(1)
    assert len({*fills(1), *fills(2)}) == 4


def test_a_routed_frame_goes_to_the_gateway() -> None:
    frame = Ether(compiled(stream(), ports=ROUTED).streams[0].frame)
    assert (frame.dst, frame[IP].src, frame[IP].dst) == (GATEWAY.hex(":"), "198.18.1.2", "198.19.1.2")


def test_an_ipv6_frame() -> None:
    frame = Ether(compiled(stream(frame_size=82), ports=ROUTED6).streams[0].frame)
    assert (frame[IPv6].src, frame[IPv6].dst, frame[IPv6].hlim) == ("2001:2:0:1::2", "2001:2:0:2::2", 64)
    assert (frame[UDP].sport, frame[UDP].dport) == (0xC020, 7)


@pytest.mark.parametrize(
    ("ports", "size", "message"),
    [
        (
            ROUTED6,
            81,
            "stream 'north': a frame size of 81 bytes is too short for Ether / IPv6 / UDP (62 bytes) with a "
            "signature of 16 bytes; it needs at least 82 bytes",
        ),
        (
            BRIDGED,
            1519,
            "stream 'north': a frame size of 1519 bytes is too long for port 'p1'; "
            "it takes at most 1518 bytes, FCS included; where the MTU of its interface is "
            "the limit, raise that, such as by ip link set DEV mtu 1501, and open the tester anew",
        ),
        (
            BRIDGED | {"p2": port("p2", MAC2)},
            1600,
            "stream 'north': a frame size of 1600 bytes is too long for port 'p1'; "
            "it takes at most 1518 bytes, FCS included; where the MTU of its interface is "
            "the limit, raise that, such as by ip link set DEV mtu 1582, and open the tester anew",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_refused(ports: dict[str, object], size: int, message: str) -> None:
    with pytest.raises(PlanError) as error:
        compiled(stream(frame_size=size), ports=ports)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_a_frame_below_the_ethernet_minimum_is_too_short_too() -> None:
    with pytest.raises(PlanError, match=r"of 61 bytes is too short.*at least 62 bytes"):
        compiled(stream().__class__("north", "p1", "p2", FrameSize(61)))


def test_a_bridge_learns_from_both_ports_the_receiver_first() -> None:
    plan = compiled(stream(), stream(name="south", tx="p2", rx="p1"))
    assert [frame.port for frame in plan.learning] == ["p2", "p1"]
    for learning, mac, address in zip(plan.learning, (MAC2, MAC1), ("198.18.0.3", "198.18.0.2"), strict=True):
        frame = Ether(learning.frame)
        assert (frame.dst, frame.src) == ("ff:ff:ff:ff:ff:ff", mac.hex(":"))
        assert (frame[ARP].op, frame[ARP].hwsrc) == (1, mac.hex(":"))
        assert (frame[ARP].psrc, frame[ARP].pdst) == (address, address)
        assert len(learning.frame) == 60


def test_a_router_is_asked_for_its_own_address() -> None:
    for learning in compiled(stream(), ports=ROUTED).learning:
        arp, port = Ether(learning.frame)[ARP], ROUTED[learning.port]
        assert (arp.psrc, arp.hwsrc, arp.pdst) == (str(port.address.ip), port.mac.hex(":"), str(port.gateway))


def test_an_ipv6_router_is_solicited() -> None:
    learning = compiled(stream(frame_size=128), ports=ROUTED6).learning[1]
    frame = Ether(learning.frame)
    assert (frame.dst, frame.src) == ("33:33:ff:00:00:01", MAC1.hex(":"))
    assert (frame[IPv6].src, frame[IPv6].dst, frame[IPv6].hlim) == ("2001:2:0:1::2", "ff02::1:ff00:1", 255)
    assert frame[ICMPv6ND_NS].tgt == "2001:2:0:1::1"
    assert frame[ICMPv6ND_NS].payload.lladdr == MAC1.hex(":")


def test_on_an_ipv6_bridge_ports_advertise_themselves() -> None:
    ports = {"p1": port("p1", MAC1, "2001:2::10/64"), "p2": port("p2", MAC2)}
    frame = Ether(compiled(stream(frame_size=128), ports=ports).learning[0].frame)
    assert (frame.dst, frame[IPv6].src, frame[IPv6].dst) == ("33:33:00:00:00:01", "2001:2::3", "ff02::1")
    assert (frame[ICMPv6ND_NA].tgt, frame[ICMPv6ND_NA].S, frame[ICMPv6ND_NA].O) == ("2001:2::3", 0, 1)
    assert frame[ICMPv6ND_NA].payload.lladdr == MAC2.hex(":")


def test_a_server_of_ipv6_behind_a_port_of_ipv4_advertises_itself() -> None:
    server = IPv6Address("2001:db8::10")
    frame = Ether(announcement(Station(ROUTED["p1"], server, other=server)))
    assert frame[ICMPv6ND_NA].tgt == str(server)


def test_importing_the_planner_does_not_wait_for_scapy() -> None:
    script = "import sys, TesterLibrary.planning; sys.exit('scapy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
