# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for what happens to single packets of a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from robot.api.deco import keyword

from ...files.payload import load_pattern
from ...methodology.verdicts.path import all_events_fired
from ...model.editor import FieldPath
from ...model.headers import HeaderStack
from ...model.heading import Heading, OrderPolicy
from ...model.inline import (
    Blackhole,
    ChecksumPolicy,
    Corrupt,
    Delay,
    Drop,
    Duplicate,
    Event,
    LinkDown,
    Mark,
    PacketAction,
    Part,
    Reorder,
    Reset,
    Rewrite,
    Swallowed,
    Truncate,
)
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._shared import shares

_LONGEST_HOLD = Duration(100_000_000)


@dataclass(frozen=True, kw_only=True)
class EventArguments:
    """The arguments of all keywords that give a path an event."""

    path: Annotated[str, "the name of the path"]
    number: Annotated[int | None, "the number of the packet, from 1; retransmissions have no number"] = None
    iteration: Annotated[int, "the transmission of the packet; 2 is its first retransmission"] = 1
    every: Annotated[int | None, "in place of a number: each n-th packet, retransmissions included"] = None
    ratio: Annotated[Ratio | None, "in place of a number: a part of the packets at random, ``0.1 %``"] = None
    byte: Annotated[int | None, "in place of a number: the TCP packet with this byte of its data"] = None
    sequence: Annotated[int | None, "in place of a number: a sequence number of TCP, or a PSN of RoCEv2"] = (
        None
    )
    pattern: Annotated[
        str | None, "in place of a number: a file of 0 and 1, one for each packet, repeated from the start"
    ] = None
    flow: Annotated[int | None, "the number of the flow as flows appear, from 1; any flow by default"] = None
    headers: Annotated[
        HeaderStack | None, "headers of the packets, with the fields to match: ``IP / TCP(dport=80)``"
    ] = None
    direction: Annotated[
        Heading, "``forward`` (from the path's first port to its second one), ``backward`` or ``both``"
    ] = Heading.BOTH
    data_only: Annotated[bool, "True: only packets with payload count"] = False
    name: Annotated[str | None, "the name of the event in verdicts; a description by default"] = None


@component
class Events:
    """Events of paths, and the verdict on them."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def drop_packet(self, shared: EventArguments) -> str:
        """Drops a packet on a path: it arrives, and does not leave. Returns the event's name.

        An event selects a packet by its place in the traffic, such as the 20th packet of the first flow.
        Flows have numbers in the order of their first packets, among packets with these headers. Packets of
        TCP have numbers in the order of their first transmission. A segment that is sent again keeps its
        number and has the next ``iteration``.

        | `Drop Packet` | wan | flow=1 | number=20 | data_only=True |
        | `Drop Packet` | wan | flow=1 | number=20 | iteration=2 | data_only=True |
        | `Drop Packet` | wan | ratio=0.1 % | headers=IP / UDP(dport=53) |
        | `Drop Packet` | wan | flow=1 | byte=20000 | direction=backward |
        | `Drop Packet` | wan | pattern=${CURDIR}/losses.txt | direction=forward |
        """
        return self._add(shared, Drop())

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def mark_packet(self, shared: EventArguments) -> str:
        """Sets the ECN field of a packet on a path to CE, *congestion experienced* (RFC 3168).

        `Drop Packet` explains how to select a packet. The IPv4 checksum follows. The packet is marked even if
        its sender does not support ECN. Returns the event's name.

        | `Mark Packet` | wan | flow=1 | number=10 |
        """
        return self._add(shared, Mark())

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def corrupt_packet(
        self,
        shared: EventArguments,
        bit: int = 0,
        part: Part = Part.PAYLOAD,
        checksum: ChecksumPolicy = ChecksumPolicy.KEEP,
    ) -> str:
        """Inverts one bit of a packet on a path. Returns the event's name.

        | ``bit`` | the number of the bit in that part, from 0, most significant first |
        | ``part`` | where bit 0 is: ``payload``, ``transport`` (TCP, UDP), ``network`` (IP) or ``frame`` |
        | ``checksum`` | ``keep``: checksums become wrong; ``repair``: checksums are right |

        `Drop Packet` explains how to select a packet. A packet without this bit does not change, and the
        event has not fired. A RoCEv2 ICRC is repaired if it was right before.

        | `Corrupt Packet` | wan | flow=1 | number=5 | bit=12 | checksum=keep |
        """
        return self._add(shared, Corrupt(bit=bit, part=part, checksum=checksum))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def duplicate_packet(self, shared: EventArguments) -> str:
        """Sends a packet of a path twice, one directly behind the other. Returns the event's name.

        `Drop Packet` explains how to select a packet.

        | `Duplicate Packet` | wan | flow=1 | number=7 |
        """
        return self._add(shared, Duplicate())

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def truncate_packet(self, shared: EventArguments, frame_size: int = 64) -> str:
        """Cuts off the end of a packet on a path. Lengths and checksums in it do not change.

        | ``frame_size`` | bytes of the frame that remain, FCS included |

        `Drop Packet` explains how to select a packet. Returns the event's name.

        | `Truncate Packet` | wan | flow=1 | number=7 | frame_size=128 |
        """
        return self._add(shared, Truncate(frame_size))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def delay_packet(
        self, shared: EventArguments, delay: Duration, order: OrderPolicy = OrderPolicy.PRESERVE
    ) -> str:
        """Holds a packet on a path for a time. Returns the event's name.

        | ``delay`` | how long: ``10 ms``, up to 60 s |
        | ``order`` | ``preserve``: packets behind it wait as well; ``allow``: they overtake it |

        `Drop Packet` explains how to select packets. ``order=allow`` reorders by time, `Reorder Packet` by
        count. The path adds the delay to the time that it needs itself. `Get Path Statistics` has the longest
        time by which a packet left too late. `Impair Path` delays all packets of a direction.

        | `Delay Packet` | wan | 10 ms | flow=1 | number=20 |
        | `Delay Packet` | wan | 2 ms | ratio=1 % | order=allow |
        """
        return self._add(shared, Delay(delay=delay, order=order))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def reorder_packet(self, shared: EventArguments, packets: int, limit: Duration = _LONGEST_HOLD) -> str:
        """Holds a packet on a path back until later packets have passed it. Returns the event's name.

        | ``packets`` | the number of packets that pass it; it leaves directly behind the last of them |
        | ``limit`` | the longest time for which it is held back |

        `Drop Packet` explains how to select a packet. Only packets that the event would select by flow,
        headers and direction count, and that are neither dropped nor held back themselves: with ``flow=1``
        and ``data_only=True``, data packets of that flow. If fewer packets follow, the packet leaves at its
        limit. This is counted as expired; an event whose packets all expired has not fired.

        | `Reorder Packet` | wan | 3 | flow=1 | number=20 | data_only=True |
        """
        return self._add(shared, Reorder(packets=packets, limit=limit))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def rewrite_field(
        self,
        shared: EventArguments,
        field: FieldPath,
        value: str,
        checksum: ChecksumPolicy = ChecksumPolicy.REPAIR,
    ) -> str:
        """Sets a header field of a packet on a path. Returns the event's name.

        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``TCP.flags``, ``VLAN.vlan`` |
        | ``value`` | a number, an address, or a word of Scapy such as ``SA`` |
        | ``checksum`` | ``repair``: checksums over the field follow it; ``keep``: they become wrong |

        `Drop Packet` explains how to select a packet. Fields of Ether, IP, IPv6, TCP, UDP, ICMP and SCTP are
        found in any packet. For other headers, and for inner headers (``IP[2].ttl``), give ``headers`` that
        have them. A packet without the header does not change, and the event has not fired.

        Checksums of IPv4, TCP, UDP and ICMP, and RoCEv2's ICRC, are repaired in the outer packet only. A
        field under another checksum, and a checksum itself, needs ``checksum=keep``.

        | `Rewrite Field` | wan | IP.ttl | 1 | flow=1 | number=5 |
        | `Rewrite Field` | wan | TCP.window | 0 | every=1 | headers=IP / TCP(sport=80) |
        | `Rewrite Field` | wan | UDP.chksum | 0xbad | ratio=1 % | checksum=keep |
        """
        return self._add(shared, Rewrite(field=field, value=value, checksum=checksum))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def blackhole_path(
        self,
        shared: EventArguments,
        duration: Duration,
        packets: Swallowed = Swallowed.ALL,
        both_ways: bool = False,
    ) -> str:
        """Drops a packet on a path, and all later ones of its direction for a time. Returns the event's name.

        | ``duration`` | how long, from the arrival of that packet on: ``2 s``, up to an hour |
        | ``packets`` | ``all`` of its direction, or only those of its ``flow`` in that direction |
        | ``both_ways`` | True: packets of the other direction are dropped as well |

        `Drop Packet` explains how to select the packet. Packets that the path holds already still leave. The
        event counts each packet that it drops as fired, and has the times of the first and the last one. A
        packet that is selected meanwhile does not prolong it. ``direction`` says where the first packet is
        looked for, also with ``both_ways``. With ``packets=flow`` and ``both_ways``, ``headers`` must match
        both directions.

        | `Blackhole Path` | wan | 300 ms | flow=1 | number=20 | direction=backward |
        | `Blackhole Path` | wan | 2 s | number=1000 | packets=flow | both_ways=True |
        """
        return self._add(shared, Blackhole(duration=duration, packets=packets, both_ways=both_ways))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def take_link_down(self, shared: EventArguments, duration: Duration, ports: Names = NO_NAMES) -> str:
        """Takes links of a path down at a packet, for a time. Returns the event's name.

        | ``duration`` | how long, from the arrival of that packet on: ``2 s``; 10 ms to an hour |
        | ``ports`` | ports of the path whose links go down; both ports by default |

        `Drop Packet` explains how to select the packet. This packet and all later packets of both directions
        are dropped until the links are up again, and so are packets that the path holds and that would leave
        meanwhile. A packet that is selected meanwhile does not prolong it. The interfaces go down
        milliseconds after the packet, so the other end has no carrier. They go up again when the time is
        over, at the end of the path, and at the end of the tester. `Get Path Statistics` has the times at
        which the links really were down and up again.

        Only ports on interfaces of the kernel support this.

        | `Take Link Down` | wan | 2 s | flow=1 | number=20 | data_only=True |
        | `Take Link Down` | wan | 500 ms | number=1000 | ports=p1 |
        """
        return self._add(shared, LinkDown(duration=duration, ports=tuple(ports)))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def reset_connection(self, shared: EventArguments) -> str:
        """Resets a TCP connection at both ends, at a packet on a path. Returns the event's name.

        `Drop Packet` explains how to select the packet. A RST replaces it on the way to the receiver, with
        the packet's sequence number. The sender gets a RST with the next number that it expects from the
        path, and one with the packet's acknowledgment number if that is different: an end accepts only a RST
        with the number that it expects next (RFC 5961). `Get Path Statistics` counts those to the sender as
        ``injected``. A packet that is not TCP, or has RST itself, resets nothing.

        ``headers`` must match both directions: otherwise the path does not know what it has sent to the
        sender.

        | `Reset Connection` | wan | flow=1 | number=20 | data_only=True |
        """
        return self._add(shared, Reset())

    @keyword(tags=["path", "event", "verify"])
    def verify_all_events_fired(self, *paths: str) -> Verdict:
        """Judges whether all events of paths have happened: PASS, or INCONCLUSIVE with the other names.

        | ``paths`` | names of paths; all started paths by default |

        It never fails, because an event that did not happen says nothing about the device. Every other
        verdict of the test is INCONCLUSIVE then as well, with the event's name: of a ``Verify …`` on streams
        and of `Get Host Counter` alike.

        | `Verify All Events Fired` |
        """
        suite = self._suite
        suite.paths.refuse_unstarted()
        started = [suite.paths.statistics(name) for name in paths] if paths else suite.paths.started()
        return suite.conclude(all_events_fired(started))

    def _add(self, shared: EventArguments, action: PacketAction) -> str:
        event = Event(
            action=action,
            number=shared.number,
            every=shared.every,
            ratio=shared.ratio,
            byte=shared.byte,
            sequence=shared.sequence,
            pattern=load_pattern(shared.pattern) if shared.pattern else None,
            iteration=shared.iteration,
            flow=shared.flow,
            headers=shared.headers,
            heading=shared.direction,
            data_only=shared.data_only,
            name=shared.name or "",
        )
        return self._suite.paths.add(shared.path, event)
