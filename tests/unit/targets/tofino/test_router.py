# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The router behind a fake switch: a dialogue of frames in and frames out."""

from __future__ import annotations

from ipaddress import IPv4Interface

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.tofino.fake.router import Router
from TesterLibrary.testbeds.fake_devices import RouterTable

LEFT, RIGHT = 132, 140  # device ports
MACS = {port: f"02:ff:00:00:00:{port:02x}" for port in (LEFT, RIGHT)}
EVERYBODY, SECOND = "ff:ff:ff:ff:ff:ff", 10**9
FIRST, OTHER = "02:00:00:00:aa:01", "02:00:00:00:aa:02"


class Network:
    """A router between 198.18.0.0/16 and 198.19.0.0/16, and what it sends."""

    def __init__(self, **table: object) -> None:
        self.router = Router(RouterTable(**table))  # type: ignore[arg-type]
        self.router.attach(LEFT, IPv4Interface("198.18.1.1/16"))
        self.router.attach(RIGHT, IPv4Interface("198.19.1.1/16"))
        self.now_ns = 0

    def sent(self, port: int, frame: Ether) -> list[tuple[int, Ether]]:
        found = list(self.router.forward(port, bytes(frame), self.now_ns, [LEFT, RIGHT]))
        assert {at_ns - self.now_ns for at_ns, _, _ in found} <= {10_000}
        return [(out, Ether(octets)) for _, out, octets in found]

    def announced(self, *addresses: str, mac: str = FIRST, to: str = "198.18.1.1", op: int = 2) -> None:
        """Nobody is answered."""
        for address in addresses:
            arp = ARP(op=op, hwsrc=mac, psrc=address, pdst=to)
            assert not self.sent(LEFT, Ether(src=mac, dst=MACS[LEFT]) / arp)

    def reached(self, address: str, ttl: int = 64) -> str | None:
        """The MAC address to which a frame for an address goes, after the router has asked or not."""
        frame = Ether(src=OTHER, dst=MACS[RIGHT]) / IP(src="198.19.1.2", dst=address, ttl=ttl) / UDP()
        forwarded = [(out, one) for out, one in self.sent(RIGHT, frame) if IP in one]
        for out, one in forwarded:
            assert (out, one.src, one[IP].ttl, one[IP].dst) == (LEFT, MACS[LEFT], ttl - 1, address)
            given = one[IP].chksum
            del one[IP].chksum
            assert Ether(bytes(one))[IP].chksum == given
        return forwarded[0][1].dst if forwarded else None

    def known(self, *addresses: str) -> int:
        return sum(self.reached(address) is not None for address in addresses)


FIVE = [f"198.18.2.{number}" for number in range(1, 6)]


def test_it_answers_for_itself_and_learns_from_the_question() -> None:
    network = Network()
    question = Ether(src=FIRST, dst=EVERYBODY) / ARP(op=1, hwsrc=FIRST, psrc="198.18.1.2", pdst="198.18.1.1")
    ((out, answer),) = network.sent(LEFT, question)
    assert (out, answer.src, answer.dst) == (LEFT, MACS[LEFT], FIRST)
    arp = answer[ARP]
    assert (arp.op, arp.hwsrc, arp.psrc, arp.hwdst, arp.pdst) == (
        2,
        MACS[LEFT],
        "198.18.1.1",
        FIRST,
        "198.18.1.2",
    )
    assert network.reached("198.18.1.2") == FIRST


def test_it_asks_for_one_it_does_not_know_once_a_second_and_drops_the_frame() -> None:
    network = Network()
    frame = Ether(src=OTHER, dst=MACS[RIGHT]) / IP(dst="198.18.2.1") / UDP()
    ((out, question),) = network.sent(RIGHT, frame)
    assert (out, question.dst, question[ARP].op, question[ARP].pdst) == (LEFT, EVERYBODY, 1, "198.18.2.1")
    network.now_ns += SECOND - 1
    assert not network.sent(RIGHT, frame)
    network.now_ns += 1
    assert len(network.sent(RIGHT, frame)) == 1
    network.announced("198.18.2.1")
    assert network.reached("198.18.2.1") == FIRST


def test_an_address_moves_and_questions_about_others_teach_nothing() -> None:
    network = Network()
    network.announced("198.18.2.1")
    network.announced("198.18.2.1", mac=OTHER, to="198.18.2.1", op=1)  # gratuitous
    assert network.reached("198.18.2.1") == OTHER
    network.announced("198.18.2.2", to="198.18.9.9", op=1)
    assert network.reached("198.18.2.2") is None
    network.announced("198.18.2.1", mac=FIRST, to="198.18.9.9", op=1)
    assert network.reached("198.18.2.1") == FIRST, "of one that it knows it takes the new address (RFC 826)"


@pytest.mark.parametrize(("destination", "ttl"), [("198.18.2.1", 1), ("198.18.1.1", 64), ("203.0.113.1", 64)])
def test_what_it_does_not_forward(destination: str, ttl: int) -> None:
    network = Network()
    network.announced("198.18.2.1")
    assert network.reached(destination, ttl) is None


def test_it_learns_one_after_the_other_at_its_rate() -> None:
    network = Network(learning_rate=Frequency.parse("500/s"))
    network.announced(*FIVE)
    found = []
    for _ in range(6):
        found.append(network.known(*FIVE))
        network.now_ns += 2_000_000
    assert found == [0, 1, 2, 3, 4, 5]
    network.announced("198.18.2.9")  # nothing was saved up
    assert network.reached("198.18.2.9") is None


def test_it_has_room_for_so_many_and_again_when_it_forgets() -> None:
    network = Network(most_neighbours=3, ageing=Duration(2 * SECOND))
    network.announced(*FIVE)
    network.announced(*FIVE)
    assert network.known(*FIVE) == network.known(*FIVE[:3]) == 3
    network.now_ns += SECOND
    network.announced(FIVE[0])
    network.now_ns += SECOND
    assert [network.known(address) for address in FIVE[:3]] == [1, 0, 0]
    network.announced(*FIVE)
    assert [network.known(address) for address in FIVE] == [1, 1, 1, 0, 0]


def test_it_asks_before_it_forgets() -> None:
    network = Network(ageing=Duration(2 * SECOND))
    network.announced("198.18.2.1")
    frame = Ether(src=OTHER, dst=MACS[RIGHT]) / IP(dst="198.18.2.1") / UDP()
    assert len(network.sent(RIGHT, frame)) == 1
    network.now_ns += SECOND
    question, forwarded = network.sent(RIGHT, frame)
    assert (question[1][ARP].pdst, forwarded[1].dst) == ("198.18.2.1", FIRST)
