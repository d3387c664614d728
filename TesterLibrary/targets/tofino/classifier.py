# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Classifier (p4/controls/classifier.p4): whose a frame is that arrives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ...model.plan import PlannedStream
from ...model.planned_end import Accept, PlannedEnd
from ...planning.match_action import cover
from ...planning.switch_classes import ACCEPTED, check_accepted, stream_class
from ...protocols.values import Values
from . import device_port
from .entry import Entry, Masked, Value

_CLASSIFIER = "ExternalIngress.classifier"
_CLASSES = f"external.{_CLASSIFIER}.classes"
_PORT_BITS = (0, 4, 8, 12, 16)  # ports_t: bits of a flow's number that are bits of the port


@dataclass(frozen=True)
class FlowRange:
    """Numbers of flows, of which an end has a power of two, beginning with a multiple of it."""

    first: int
    bits: int

    @classmethod
    def bits_for(cls, flows: int) -> int:
        """For so many flows at once."""
        return max(0, flows - 1).bit_length()

    @property
    def port_bits(self) -> int:
        """Of a number, as many as can be, because ports tell the flows of a host apart."""
        return max(bits for bits in _PORT_BITS if bits <= self.bits)

    @property
    def hosts(self) -> int:
        """Hosts that are told apart: by their last bits."""
        return 1 << self.bits - self.port_bits


def stream_entries(stream: PlannedStream, template: int, port: int, priority: int) -> Iterator[Entry]:
    """By which frames without a signature are known at a device port: what they have in their headers.

    Raises:
        PlanError: nothing that a parser of the switch finds stays the same.
    """
    key: dict[str, Value] = {"ingress_port": Masked(port, device_port.MASK)}
    key |= {name: Masked(*own) for name, own in stream_class(stream).items()}
    yield Entry(
        _CLASSES, {**key, "$MATCH_PRIORITY": priority}, f"{_CLASSIFIER}.unsigned", {"stream": template}
    )


def end_entries(
    end: PlannedEnd, port: int, link: int, loopback: int, flows: FlowRange, priority: int
) -> Iterator[Entry]:
    """By which packets of an end are known, and their flows.

    Args:
        end: One of TCP.
        port: The device port that they arrive by.
        link: Number of the end's Ethernet addresses.
        loopback: The device port of the first pass.
        flows: Numbers of its flows.
        priority: The lower, the earlier an entry is tried.
    """
    data = {"link": link, "loopback": loopback, "add_to_port": 0, "ports": flows.port_bits}
    for accepted in accepts(end.accepts):
        for host in range(flows.hosts):
            key: dict[str, Value] = {
                "ingress_port": Masked(port, device_port.MASK),
                "vlan_valid": Masked(0, 1),
                "ipv4_valid": Masked(1, 1),
                "tcp_valid": Masked(1, 1),
                **{_NAMES[name]: own for name, own in accepted.items()},
            }
            if flows.hosts > 1:
                key["ipv4_src"] = Masked(host, flows.hosts - 1)
            yield Entry(
                _CLASSES,
                {**key, "$MATCH_PRIORITY": priority},
                f"{_CLASSIFIER}.flow_of_port",
                {**data, "host": (flows.first >> flows.port_bits) + host},
            )


_NAMES = {"IP.dst": "ipv4_dst", "TCP.dport": "tcp_dport"}


def accepts(own: tuple[Accept, ...]) -> Iterator[dict[str, Masked]]:
    """What an end takes, as keys that match it together: a range takes several. PlanError if none can."""
    check_accepted(own)
    choices = []
    for accept in own:
        values = Values.between(ACCEPTED[accept.field], accept.first, accept.first + accept.count - 1)
        choices.append([(accept.field, Masked(value, mask)) for value, mask in cover(values)])
    for chosen in product(*choices):
        yield {name: masked for name, masked in chosen if masked.mask}
