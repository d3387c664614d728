# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Classifier (p4/controls/classifier.p4), which finds a frame's stream or end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from ....model.plan.plan import PlannedStream
from ....model.plan.planned_end import Accept, PlannedEnd
from ....model.protocol import Protocol
from ....planning.switch.chip import PORT_MASK
from ....planning.switch.classes import (
    ACCEPTED,
    ACCEPTED_OF_IPV6,
    IPV6_SERVERS,
    check_accepted,
    stream_class,
)
from ....planning.switch.datagrams import asked_port, is_datagram, network_of
from ....planning.switch.match_action import cover
from ....planning.switch.starts import Starts
from ....protocols.values import MaskedNumbers
from .entry import Masked, TableEntry, Value

_CLASSIFIER = "ExternalIngress.classifier"
_CLASSES = f"external.{_CLASSIFIER}.classes"
_PORT_BITS = (0, 4, 8, 12, 16)  # ports_t: how many bits of a flow's number are bits of the port


@dataclass(frozen=True)
class FlowRange:
    """The flow numbers of an end: a power of two of them, from a multiple of it on."""

    first: int
    bits: int

    @classmethod
    def bits_for(cls, flows: int) -> int:
        """The bits that number so many flows at one time."""
        return max(0, flows - 1).bit_length()

    @property
    def port_bits(self) -> int:
        """The port bits of a flow's number: as many as possible, as ports tell the flows of a host apart."""
        return max(bits for bits in _PORT_BITS if bits <= self.bits)

    @property
    def hosts(self) -> int:
        """The number of hosts that are told apart, by their last bits."""
        return 1 << self.bits - self.port_bits

    def told_apart(self, hosts: int, ports: int) -> int:
        """The flows that have numbers of their own, of so many hosts and of so many ports side by side."""
        return min(hosts, self.hosts) * min(ports, 1 << self.port_bits)


def stream_entries(stream: PlannedStream, template: int, port: int, priority: int) -> Iterator[TableEntry]:
    """Entries that recognize a stream's frames without a signature at a device port, by their headers.

    Raises:
        PlanError: nothing that a parser of the switch finds stays the same.
    """
    key: dict[str, Value] = {"ingress_port": Masked(port, PORT_MASK)}
    key |= {name: Masked(*masked) for name, masked in stream_class(stream).items()}
    yield TableEntry(
        _CLASSES, {**key, "$MATCH_PRIORITY": priority}, f"{_CLASSIFIER}.unsigned", {"stream": template}
    )


def end_entries(
    end: PlannedEnd, port: int, link: int, loopback: int, flows: FlowRange, priority: int
) -> Iterator[TableEntry]:
    """Entries that recognize packets of an end, and their flows.

    Args:
        end: An end of TCP, or of UDP.
        port: The device port that they arrive by.
        link: Number of the end's Ethernet addresses.
        loopback: The device port of the first pass.
        flows: The numbers of its flows.
        priority: Entries with a lower number are tried first.
    """
    data = {"link": link, "loopback": loopback, "add_to_port": 0, "ports": flows.port_bits}
    valid, source = _IPV6 if network_of(end.protocol) == "IPv6" else _IPV4
    for accepted in accepts((*end.accepts, *_announced(end.protocol)), ACCEPTED_OF_IPV6):
        for host in range(flows.hosts):
            key: dict[str, Value] = {
                "ingress_port": Masked(port, PORT_MASK),
                **vlan_key(end.vlan),
                valid: Masked(1, 1),
                "udp_valid" if is_datagram(end.protocol) else "tcp_valid": Masked(1, 1),
                **dict(_keys(accepted)),
            }
            if flows.hosts > 1:
                key[source] = Masked(host, flows.hosts - 1)
            yield TableEntry(
                _CLASSES,
                {**key, "$MATCH_PRIORITY": priority},
                f"{_CLASSIFIER}.flow_of_port",
                {**data, "host": (flows.first >> flows.port_bits) + host},
            )


@dataclass(frozen=True)
class SourceNumbers:
    """The numbers of the flows of clients: those of their addresses, and of the ports of each."""

    starts: Starts
    first: int = 0

    @property
    def port_bits(self) -> int:
        """The bits of a flow's number that are bits of the port."""
        return min(bits for bits in _PORT_BITS if self.starts.ports.count <= 1 << bits)

    @property
    def count(self) -> int:
        """The numbers that are needed, not all of which are flows."""
        return self.starts.hosts.count << self.port_bits


def source_entries(
    numbers: SourceNumbers, port: int, link: int, loopback: int, priority: int, *, vlan: int | None = None
) -> Iterator[TableEntry]:
    """Entries that recognize packets for clients at a device port, or their starts, and their flows.

    Args:
        numbers: The numbers of the flows.
        port: The device port that they arrive by.
        link: Number of the Ethernet addresses of answers.
        loopback: The device port of the first pass.
        priority: Entries with a lower number are tried first.
        vlan: VLAN of the packets; None: untagged packets.
    """
    starts, bits = numbers.starts, numbers.port_bits
    data = {
        "link": link,
        "loopback": loopback,
        "add_to_host": ((numbers.first >> bits) - starts.hosts.first) % (1 << 32),
        "add_to_port": -starts.ports.first % (1 << 16),
        "ports": bits,
    }
    for accepted in accepts(starts.accepts, SOURCES):
        key: dict[str, Value] = {
            "ingress_port": Masked(port, PORT_MASK),
            **vlan_key(vlan),
            "ipv4_valid": Masked(1, 1),
            "tcp_valid": Masked(1, 1),
            **dict(_keys(accepted)),
            "$MATCH_PRIORITY": priority,
        }
        yield TableEntry(_CLASSES, key, f"{_CLASSIFIER}.flow_of_destination", data)


def vlan_key(vlan: int | None) -> dict[str, Value]:
    """The keys of packets of a VLAN; None: of untagged packets."""
    if vlan is None:
        return {"vlan_valid": Masked(0, 1)}
    return {"vlan_valid": Masked(1, 1), "vlan": Masked(vlan, 0xFFF)}


def _announced(protocol: Protocol) -> tuple[Accept, ...]:
    """The port that a table of UDP says that its packets are for."""
    port = asked_port(protocol) if is_datagram(protocol) else None
    return () if port is None else (Accept("UDP.dport", port, 1),)


SOURCES = {"IP.src": 32, "IP.dst": 32, "TCP.sport": 16, "TCP.dport": 16}  # fields of packets for clients
_NAMES = {
    "IP.src": "ipv4_src",
    "IP.dst": "ipv4_dst",
    "TCP.sport": "tcp_sport",
    "TCP.dport": "tcp_dport",
    "UDP.dport": "udp_dport",
}
_IPV4, _IPV6 = ("ipv4_valid", "ipv4_src"), ("ipv6_valid", "ipv6_src_low")  # whether, and from whom
_LOW = 32  # bits of an address of IPv6 in a key of their own


def _keys(accepted: Mapping[str, Masked]) -> Iterator[tuple[str, Masked]]:
    """The keys of fields."""
    for name, masked in accepted.items():
        if name == IPV6_SERVERS:
            yield "ipv6_dst_high", Masked(masked.value >> _LOW, masked.mask >> _LOW)
            low = (1 << _LOW) - 1
            yield "ipv6_dst_low", Masked(masked.value & low, masked.mask & low)
        else:
            yield _NAMES[name], masked


def accepts(accepted: tuple[Accept, ...], known: Mapping[str, int] = ACCEPTED) -> Iterator[dict[str, Masked]]:
    """Keys that together match the packets of an end; a range takes several keys. PlanError if none can.

    Args:
        accepted: The fields that select the end's packets.
        known: Fields that can select packets, and their bits.
    """
    check_accepted(accepted, known)
    choices = []
    for accept in accepted:
        values = MaskedNumbers.between(known[accept.field], accept.first, accept.first + accept.count - 1)
        choices.append([(accept.field, Masked(value, mask)) for value, mask in cover(values)])
    for chosen in product(*choices):
        found: dict[str, Masked] = {}
        for name, masked in chosen:
            other = found.get(name, Masked(0, 0))
            if (other.value ^ masked.value) & other.mask & masked.mask:
                break  # no packet has both
            found[name] = Masked(other.value | masked.value, other.mask | masked.mask)
        else:
            yield {name: masked for name, masked in found.items() if masked.mask}
