# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for what happens to single packets of a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from robot.api.deco import keyword

from ...files.pattern import load_pattern
from ...methodology.verdicts.inline import all_events_fired
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
    """Arguments that all keywords share which give a path an event."""

    path: Annotated[str, "the name of the path"]
    number: Annotated[int | None, "the packet's number, from 1; retransmissions have none"] = None
    iteration: Annotated[int, "which transmission of that packet; 2 is its first retransmission"] = 1
    every: Annotated[int | None, "in place of a number: each n-th packet, retransmissions included"] = None
    ratio: Annotated[Ratio | None, "in place of a number: a part of the packets at random, ``0.1 %``"] = None
    byte: Annotated[int | None, "in place of a number: the packet of TCP with that byte of its data"] = None
    sequence: Annotated[int | None, "in place of a number: that of TCP, or a PSN of RoCEv2"] = None
    pattern: Annotated[
        str | None, "in place of a number: a file of 0 and 1, for one packet after the other, again and again"
    ] = None
    flow: Annotated[int | None, "the number of the flow as flows appear, from 1; any, if left out"] = None
    headers: Annotated[
        HeaderStack | None, "headers of the packets, with the fields that matter: ``IP / TCP(dport=80)``"
    ] = None
    direction: Annotated[
        Heading, "``forward`` (from the path's first port to its second one), ``backward`` or ``both``"
    ] = Heading.BOTH
    data_only: Annotated[bool, "whether only packets with payload count"] = False
    name: Annotated[str | None, "what verdicts call the event; a description, if it is left out"] = None


@component
class Events:
    """Events of paths, and the verdict on them."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def drop_packet(self, shared: EventArguments) -> str:
        """Has a path drop a packet: it arrives, and does not leave. Returns the event's name.

        | =Argument= | =Meaning= |

        A packet is meant by its place, relative to what happens on the wire: the 20th packet of the first
        flow. Flows are numbered in the order in which their first packets appear, among those with these
        headers; packets of TCP in the order of their first transmission. A segment that is sent again has the
        number of its first transmission and the next ``iteration``.

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
        """Has a path set the ECN field of a packet to CE, *congestion experienced* (RFC 3168).

        | =Argument= | =Meaning= |

        `Drop Packet` says how a packet is meant. The checksum of IPv4 follows. Whether the sender has said
        that it knows ECN does not matter. Returns the event's name.

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
        """Has a path invert one bit of a packet. Returns the event's name.

        | =Argument= | =Meaning= |
        | ``bit`` | the number of the bit in that part, from 0, most significant first |
        | ``part`` | where bit 0 is: ``payload``, ``transport`` (TCP, UDP), ``network`` (IP) or ``frame`` |
        | ``checksum`` | ``keep``: checksums are wrong then; ``repair``: they are right, and do not tell |

        `Drop Packet` says how a packet is meant. A packet that has no such bit stays as it is, and the event
        has not fired. RoCEv2's ICRC is repaired where it was right.

        | `Corrupt Packet` | wan | flow=1 | number=5 | bit=12 | checksum=keep |
        """
        return self._add(shared, Corrupt(bit=bit, part=part, checksum=checksum))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def duplicate_packet(self, shared: EventArguments) -> str:
        """Has a path send a packet twice, one directly behind the other. Returns the event's name.

        | =Argument= | =Meaning= |

        `Drop Packet` says how a packet is meant.

        | `Duplicate Packet` | wan | flow=1 | number=7 |
        """
        return self._add(shared, Duplicate())

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def truncate_packet(self, shared: EventArguments, frame_size: int = 64) -> str:
        """Has a path cut off the end of a packet. Lengths and checksums in it stay as they are.

        | =Argument= | =Meaning= |
        | ``frame_size`` | bytes of the frame that are left, FCS included |

        `Drop Packet` says how a packet is meant. Returns the event's name.

        | `Truncate Packet` | wan | flow=1 | number=7 | frame_size=128 |
        """
        return self._add(shared, Truncate(frame_size))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def delay_packet(
        self, shared: EventArguments, delay: Duration, order: OrderPolicy = OrderPolicy.PRESERVE
    ) -> str:
        """Has a path hold a packet for a time. Returns the event's name.

        | =Argument= | =Meaning= |
        | ``delay`` | for how long: ``10 ms``, up to 60 s |
        | ``order`` | ``preserve``: packets behind it wait as well; ``allow``: they overtake it |

        `Drop Packet` says how packets are meant. With ``order=allow`` this reorders by time, and
        `Reorder Packet` by count. The delay is what the path adds to the time that it needs itself;
        `Get Path Statistics` has the longest time by which a packet left too late. `Impair Path` delays all
        packets of a direction.

        | `Delay Packet` | wan | 10 ms | flow=1 | number=20 |
        | `Delay Packet` | wan | 2 ms | ratio=1 % | order=allow |
        """
        return self._add(shared, Delay(delay=delay, order=order))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def reorder_packet(self, shared: EventArguments, packets: int, limit: Duration = _LONGEST_HOLD) -> str:
        """Has a path hold a packet back until later ones have passed. Returns the event's name.

        | =Argument= | =Meaning= |
        | ``packets`` | how many later packets pass it; it leaves directly behind the last of them |
        | ``limit`` | the longest time for which it is held back |

        `Drop Packet` says how a packet is meant. Those count that the event would see as well, of the same
        direction, and that are neither dropped nor held back themselves: with ``flow=1`` and
        ``data_only=True``, data packets of that flow. Where too few follow, the packet leaves at its limit.
        That is counted; an event to which nothing else happened has not fired.

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
        """Has a path set a header field of a packet. Returns the event's name.

        | =Argument= | =Meaning= |
        | ``field`` | a header and its field as in Scapy: ``IP.ttl``, ``TCP.flags``, ``VLAN.vlan`` |
        | ``value`` | a number, an address, or a word of Scapy's such as ``SA`` |
        | ``checksum`` | ``repair``: those that cover the field follow it; ``keep``: they are wrong then |

        `Drop Packet` says how a packet is meant. Fields of Ether, IP, IPv6, TCP, UDP, ICMP and SCTP are found
        in any packet; for other headers, and for inner ones (``IP[2].ttl``), give ``headers`` that have them.
        A packet without the header stays as it is, and the event has not fired.

        Checksums of IPv4, TCP, UDP and ICMP, and RoCEv2's ICRC, are repaired, of the outer packet only; what
        needs others is refused without ``checksum=keep``, and so is a checksum itself.

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
        """Has a path drop a packet, and all later ones of its direction for a time. Returns the event's name.

        | =Argument= | =Meaning= |
        | ``duration`` | for how long, from the arrival of that packet on: ``2 s``, up to an hour |
        | ``packets`` | ``all`` of its direction, or those of its ``flow`` in that direction |
        | ``both_ways`` | whether those of the other direction are dropped as well |

        `Drop Packet` says how a packet is meant. What the path holds already leaves. The event counts each
        packet that it drops as fired, and has the times of the first and of the last one. A packet that is
        selected meanwhile does not prolong it. ``direction`` says where that packet is looked for; a cut in
        both directions begins with it, too. With ``packets=flow``, give no ``headers`` then that leave out
        the other direction.

        | `Blackhole Path` | wan | 300 ms | flow=1 | number=20 | direction=backward |
        | `Blackhole Path` | wan | 2 s | number=1000 | packets=flow | both_ways=True |
        """
        return self._add(shared, Blackhole(duration=duration, packets=packets, both_ways=both_ways))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def take_link_down(self, shared: EventArguments, duration: Duration, ports: Names = NO_NAMES) -> str:
        """Has a path take links down at a packet, for a time. Returns the event's name.

        | =Argument= | =Meaning= |
        | ``duration`` | for how long, from the arrival of that packet on: ``2 s``; 10 ms to an hour |
        | ``ports`` | ports of the path whose links go down; both, if left out |

        `Drop Packet` says how a packet is meant. It and all later ones of both directions are dropped until
        the links are up again, and so is what the path holds and would leave meanwhile. A packet that is
        selected meanwhile does not prolong it. Interfaces are set down milliseconds after the packet: who is
        at the other end has no carrier. They are set up when the time is over, at the end of the path and at
        that of the tester. `Get Path Statistics` has when the links really were down and up again.

        Only ports on interfaces of the kernel have a link that can be taken down.

        | `Take Link Down` | wan | 2 s | flow=1 | number=20 | data_only=True |
        | `Take Link Down` | wan | 500 ms | number=1000 | ports=p1 |
        """
        return self._add(shared, LinkDown(duration=duration, ports=tuple(ports)))

    @keyword(tags=["path", "event"])
    @shares(EventArguments, before="name")
    def reset_connection(self, shared: EventArguments) -> str:
        """Has a path reset a TCP connection at both ends. Returns the event's name.

        | =Argument= | =Meaning= |

        `Drop Packet` says how a packet is meant. A RST takes its place on the way to its receiver, with the
        packet's sequence number. Its sender gets one with the end of what the path has sent to it, and one
        with the packet's acknowledgment number, where that is another number: an end accepts no RST but with
        the number that it expects next (RFC 5961). `Get Path Statistics` counts those to the
        sender as ``injected``. A packet that is not of TCP, or has RST itself, resets nothing.

        Give no ``headers`` that leave out the other direction: the path would not know what it has sent
        there.

        | `Reset Connection` | wan | flow=1 | number=20 | data_only=True |
        """
        return self._add(shared, Reset())

    @keyword(tags=["path", "event", "verify"])
    def verify_all_events_fired(self, *paths: str) -> Verdict:
        """Judges whether all events of paths have happened: PASS, or INCONCLUSIVE with the others' names.

        | =Argument= | =Meaning= |
        | ``paths`` | names of paths; all that were started, if none is given |

        An event that did not happen says nothing about the device, so this never fails. Every other verdict
        of the test is INCONCLUSIVE then, too, with the event's name: of a ``Verify …`` on streams as well as
        of `Get Host Counter`.

        | `Verify All Events Fired` |
        """
        suite = self._suite
        suite.paths.refuse_unstarted()
        found = [suite.paths.statistics(name) for name in paths] if paths else suite.paths.started()
        return suite.conclude(all_events_fired(found))

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
