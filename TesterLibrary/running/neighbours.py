# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Announces neighbours on one port, and sees from another which of them a router knows (norma §8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from ipaddress import IPv6Address

from ..errors import PlanError
from ..measurement.flows import flows_of
from ..measurement.learning import LearningCheck, LearningTrial
from ..measurement.trial import Trial
from ..model.editor import Editor, FieldPath, Sweep
from ..model.endpoints import AddressRange
from ..model.headers import Header, HeaderStack
from ..model.plan import PlannedStream
from ..model.ports import Address, Port
from ..model.quantity import Frequency
from ..model.responder import Responder
from ..model.stream import Stream
from ..model.units import Duration, FrameSize, Rate, RateUnit
from ..reporting.wall_clock import wall_clock
from .answering import Answering
from .tester import Tester
from .trial import StreamRun

ANNOUNCEMENTS, PROBES = "announcements", "probes"
_BROADCAST = "ff:ff:ff:ff:ff:ff"
_TIMEOUT = Duration(300 * 10**9)
_LAG = Duration(50 * 10**6)  # of the first probe, so that addresses are announced before they are probed
_POLL_S = 0.02
_PATIENCE_S = 1.0  # a device that still learns has to reach one more address within this time
_CHECKS = 3  # most checks whether all are known; each after a new announcement
_RESOLVED_S = 0.2  # for the last answers
_ROUNDS = 2  # times that a check probes each address
_REQUEST, _REPLY = "1", "2"  # operations of RFC 826
_SIZES = {4: FrameSize(64), 6: FrameSize(106)}  # of an announcement with a signature behind it
_PROBE_SIZES = {4: FrameSize(64), 6: FrameSize(82)}
_ALL_NODES = "ff02::1"


class Announcement(Enum):
    """The ways in which an address is announced: by ARP, or in brackets by neighbour discovery."""

    REPLY = "reply"  # sent to the device, which has not asked (an advertisement)
    REQUEST = "request"  # for the device, which learns from whom it comes (RFC 826; a solicitation, RFC 4861)
    GRATUITOUS = "gratuitous"  # of an address for itself, to all (RFC 5227 §3; RFC 9131)
    ANSWER = "answer"  # not at all: the device asks, and is answered (RFC 8161)


@dataclass(frozen=True)
class Neighbours:
    """Addresses behind one port of the tester, and the port from which they are reached."""

    addresses: AddressRange
    announce: str
    probe: str
    rate: Frequency  # of announcements
    probe_rate: Frequency
    kind: Announcement = Announcement.REPLY
    mac: str | None = None  # None: that of the port

    def first(self, count: int) -> Neighbours:
        """The same neighbours, but only the first so many."""
        return replace(self, addresses=AddressRange(self.addresses.first, count))

    def announcements(self, port: Port) -> Stream:
        """One address after the other is announced. PlanError unless the port is in a router's network."""
        self.check(port)
        if self.kind is Announcement.ANSWER or port.gateway is None:
            raise PlanError(
                "kind=answer announces nothing: the device asks; give reply, request or gratuitous"
            )
        mac, version = self.mac or port.mac.hex(":"), self.addresses.first.version
        headers, changing = (self._arp if version == 4 else self._discovery)(mac, port.gateway)
        return Stream(
            ANNOUNCEMENTS,
            tx=self.announce,
            rx=self.probe,
            frame_size=_SIZES[version],
            rate=_pps(self.rate),
            headers=HeaderStack(headers),
            editors=tuple(self._each(field) for field in changing),
            answered=False,  # IPv6 announcements come from the addresses, which do not answer
        )

    def answers(self) -> Responder:
        """The end that tells the device where they are, if asked."""
        return Responder(
            name=f"neighbours {self.addresses}",
            port=self.announce,
            protocol="arp" if self.addresses.first.version == 4 else "nd",
            answers_for=self.addresses,
            parameters={"mac": self.mac} if self.mac else {},
        )

    def check(self, port: Port) -> None:
        """PlanError unless this port is in a router's network, they too, and the device may not know them."""
        if port.gateway is None or port.address is None:
            raise PlanError(f"port {port.name!r} has no gateway: there is no router that could learn there")
        if not all(end in port.address.network for end in (self.addresses.first, self.addresses.last)):
            raise PlanError(f"{self.addresses} are not all in {port.address.network}, that of {port.name!r}")
        for what, address in (("address", port.address.ip), ("gateway", port.gateway)):
            if address in self.addresses:
                raise PlanError(
                    f"{self.addresses} hold {address}, the {what} of port {port.name!r}, which the "
                    "device knows already; give addresses without it"
                )

    def _arp(self, mac: str, router: Address) -> tuple[tuple[Header, ...], list[str]]:
        """The headers of announcements, and the fields that hold the address."""
        reply = self.kind is Announcement.REPLY
        arp = {"op": _REPLY if reply else _REQUEST, "hwsrc": mac, "pdst": str(router)}
        link = {"src": mac} if reply else {"src": mac, "dst": _BROADCAST}
        gratuitous = self.kind is Announcement.GRATUITOUS
        headers = (Header("Ether", tuple(link.items())), Header("ARP", tuple(arp.items())))
        return headers, ["ARP.psrc", "ARP.pdst"] if gratuitous else ["ARP.psrc"]

    def _discovery(self, mac: str, router: Address) -> tuple[tuple[Header, ...], list[str]]:
        """The same in IPv6."""
        link = Header("Ether", (("src", mac),))
        if self.kind is Announcement.REQUEST:
            message = Header("ICMPv6Solicitation", (("tgt", str(router)), ("lladdr", mac)))
            return (link, Header("IPv6", (("dst", _solicited_node(router)),)), message), ["IPv6.src"]
        reply = self.kind is Announcement.REPLY
        message = Header("ICMPv6Advertisement", (("S", str(int(reply))), ("lladdr", mac)))
        to = Header("IPv6", (("dst", str(router) if reply else _ALL_NODES),))
        return (link, to, message), ["IPv6.src", "ICMPv6Advertisement.tgt"]

    def probes(self) -> Stream:
        """UDP to one address after the other. The tester does not tell the device where they are if asked."""
        return Stream(
            PROBES,
            tx=self.probe,
            rx=self.announce,
            frame_size=_PROBE_SIZES[self.addresses.first.version],
            rate=_pps(self.probe_rate),
            start_after=_LAG,
            editors=(self._each("IP.dst" if self.addresses.first.version == 4 else "IPv6.dst"),),
            count_flows=True,
            answered=False,
        )

    def _each(self, field: str) -> Editor:
        first, last = str(self.addresses.first), str(self.addresses.last)
        return Editor(FieldPath.parse(field), Sweep(first, last))


class NeighbourMeasurer:
    """Measures a router behind two ports; the `CacheMeasurer` of its neighbour table."""

    def __init__(
        self,
        tester: Tester,
        neighbours: Neighbours,
        *,
        rest: Duration = Duration(0),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`rest`: time in which a device forgets. PlanError if the neighbours cannot be announced there."""
        for name in (neighbours.announce, neighbours.probe):
            if name not in tester.ports:
                raise PlanError(f"{name!r} is no port of this tester; it has {', '.join(tester.ports)}")
        neighbours.check(tester.ports[neighbours.announce])
        self._tester, self._neighbours, self._rest, self._sleep = tester, neighbours, rest, sleep
        self._takes: bool | None = None  # whether the device takes announcements; None: not tried
        self._doubt = ""

    def measure(self, addresses: int) -> LearningTrial:
        """Announces again and again until all are known or none is learned any more; then counts."""
        tester, neighbours = self._tester, self._neighbours.first(addresses)
        asks = neighbours.kind is Announcement.ANSWER
        if not asks and not self._takes_announcements(neighbours):
            return self._announced_only(neighbours)
        streams = [neighbours.probes()]
        if not asks:
            streams.insert(0, neighbours.announcements(tester.ports[neighbours.announce]))
        started_at = wall_clock()
        tester.trials += 1
        with ExitStack() as stack:
            if asks:
                stack.enter_context(self._answering(neighbours))
            run = stack.enter_context(StreamRun(tester, f"learning-{tester.trials}", streams).loaded())
            run.start()
            self._watch(run, addresses)
            tester.target.stop([run.name])
            trial = run.finish()
            announced = trial.stream(streams[0].name)
            learning_ns = self._learning_ns(run, trial, neighbours, announced.counters.first_tx_ns)
        best = self._best_check(addresses)
        return LearningTrial(
            addresses=addresses,
            learned=best.known,
            announced_rate=announced.achieved_rate,
            learning_ns=learning_ns,
            probing_ns=round(addresses * 10**9 / neighbours.probe_rate.per_second),
            objections=tuple(dict.fromkeys((*trial.objections, *(() if best.complete else best.objections)))),
            started_at=started_at,
            doubt=self._doubt,
        )

    def _takes_announcements(self, neighbours: Neighbours) -> bool:
        """Whether the device learns an address that was announced before anything was sent to it.

        A device that takes no announcement may ask who has the address of a frame, and would take the next
        announcement for the answer. So the address is one for which the device cannot have asked because of
        this tester; it is announced repeatedly lest one be lost. Where there is none the device is in doubt.
        """
        if self._takes is None:
            fresh = self._not_asked(neighbours.addresses)
            if fresh is None:
                self._doubt = (
                    f"all {neighbours.addresses.count:,} addresses were probed before they were announced, "
                    "and the device may take an announcement for the answer to its own question; give "
                    "addresses that were not probed before"
                )
            witness = replace(neighbours, addresses=AddressRange((fresh or neighbours.addresses).first))
            for _ in range(_CHECKS):
                self._announce(witness)
            self._takes = self._counted(witness).known == 1
        return self._takes

    def _announced_only(self, neighbours: Neighbours) -> LearningTrial:
        """The trial of a device that takes no announcement: each is announced once, none is sent before."""
        started_at = wall_clock()
        check, announced_rate = self._check_announced_only(neighbours)
        return LearningTrial(
            addresses=check.addresses,
            learned=check.known,
            announced_rate=announced_rate,
            learning_ns=0,
            probing_ns=round(check.addresses * 10**9 / neighbours.probe_rate.per_second),
            objections=check.objections,
            started_at=started_at,
        )

    def _check_announced_only(self, neighbours: Neighbours) -> tuple[LearningCheck, float]:
        """The addresses known after one announcement of each, and how many announcements left each second.

        Addresses for which it may have asked are known not to have been learned when they were announced.
        """
        count, fresh = neighbours.addresses.count, self._not_asked(neighbours.addresses)
        if fresh is None:
            return LearningCheck(count, 0), 0.0
        silent = replace(neighbours, addresses=fresh)
        stream = silent.announcements(self._tester.ports[neighbours.announce])
        with self._sent(stream, fresh.count) as run:
            trial = run.finish()
        counted = self._counted(silent)
        objections = tuple(dict.fromkeys((*trial.objections, *counted.objections)))
        return LearningCheck(count, counted.known, objections), trial.stream(ANNOUNCEMENTS).achieved_rate

    def _not_asked(self, addresses: AddressRange) -> AddressRange | None:
        """The longest row of these addresses that this tester gave the device no reason to ask for."""
        best, first, count = None, addresses.first, 0
        for address in addresses:
            if address in self._tester.asked:
                first, count = address + 1, 0
                continue
            count += 1
            if best is None or count > best.count:
                best = AddressRange(first, count)
        return best

    def announce(self) -> int:
        """Announces each address once. Returns how many announcements left."""
        return self._announce(self._neighbours).sent

    def _announce(self, neighbours: Neighbours) -> Trial:
        stream = neighbours.announcements(self._tester.ports[neighbours.announce])
        with self._sent(stream, neighbours.addresses.count) as run:
            return run.so_far()  # a router keeps them

    def known(self) -> int:
        """Addresses to which the device forwards now; nothing is announced."""
        return self.counted().known

    def counted(self) -> LearningCheck:
        """The same count with objections: a tester that lost frames counts too few."""
        return self._counted(self._neighbours)

    def check(self, addresses: int) -> LearningCheck:
        """Announces the first so many once, then counts those that are known."""
        neighbours = self._neighbours.first(addresses)
        if neighbours.kind is Announcement.ANSWER:
            return self._check_resolved(neighbours)
        if not self._takes_announcements(neighbours):
            return self._check_announced_only(neighbours)[0]
        announced = self._announce(neighbours)
        counted = self._counted(neighbours)
        if not counted.complete:  # announcements of the tester may be among what it, or the machine, lost
            found = tuple(dict.fromkeys((*counted.objections, *announced.objections)))
            counted = replace(counted, objections=found)
        return replace(counted, doubt=self._doubt)

    def _check_resolved(self, neighbours: Neighbours) -> LearningCheck:
        """Has the device ask for each, then counts those that it knows when nobody answers any more."""
        packets = _ROUNDS * neighbours.addresses.count
        with self._answering(neighbours), self._sent(neighbours.probes(), packets):
            self._sleep(_RESOLVED_S)
        return self._counted(neighbours)

    @contextmanager
    def _answering(self, neighbours: Neighbours) -> Iterator[None]:
        end = Answering(self._tester, f"answers-{self._tester.trials}", neighbours.answers())
        try:
            yield
        finally:
            end.stop()

    def rest(self) -> None:
        """Sends nothing to the device for the time in which it forgets."""
        self._sleep(self._rest.seconds)

    def _counted(self, neighbours: Neighbours) -> LearningCheck:
        with self._sent(neighbours.probes(), _ROUNDS * neighbours.addresses.count) as run:
            trial = run.finish()
            flows = trial.stream(PROBES).flows
            assert flows is not None, "the probes count their flows"
            if flows.statistics.silent:
                found = flows_of(self._tester.target.flows(run.name, self._probes(run).id))
                silent = (flow.index for flow in found if not flow.received)
                self._tester.asked.update(neighbours.addresses.first + index for index in silent)
        known = flows.statistics.flows - flows.statistics.silent
        return LearningCheck(neighbours.addresses.count, known, trial.objections)

    def _best_check(self, addresses: int) -> LearningCheck:
        best = self.check(addresses)
        for _ in range(_CHECKS - 1):
            if best.complete:
                break
            best = max(best, self.check(addresses), key=lambda check: check.known)
        return best

    def _learning_ns(self, run: StreamRun, trial: Trial, neighbours: Neighbours, since_ns: int) -> int:
        """Time from `since_ns` until a frame to the last learned address was forwarded.

        By the tester's clock, an address was learned when its first frame arrived. Earlier frames to it were
        lost, or waited in the device; the longest latency of its frames is that of the first one.
        """
        probes = self._probes(run)
        begun = trial.stream(PROBES).counters.first_tx_ns
        gap_ns = Fraction(10**9) / neighbours.probe_rate.per_second
        last = 0
        for flow in flows_of(self._tester.target.flows(run.name, probes.id)):
            if flow.received:
                frames = flow.index + flow.lost * neighbours.addresses.count
                last = max(last, begun + round(frames * gap_ns) + flow.latency_max_ns)
        return max(0, last - since_ns)

    @contextmanager
    def _sent(self, stream: Stream, packets: int) -> Iterator[StreamRun]:
        """Sends so many frames of one stream; all have left when the block begins."""
        tester = self._tester
        tester.trials += 1
        with StreamRun(tester, f"neighbours-{tester.trials}", [stream]).loaded() as run:
            run.start(packets=packets)
            tester.target.wait([run.name], timeout=_TIMEOUT)
            yield run

    def _watch(self, run: StreamRun, addresses: int) -> None:
        """Waits until all addresses were reached, or no new one for so long that none will be."""
        neighbours, probes = self._neighbours, self._probes(run)
        rounds = 2 * addresses / float(min(neighbours.rate.per_second, neighbours.probe_rate.per_second))
        reached, deadline = 0, time.monotonic() + _PATIENCE_S + rounds
        while reached < addresses and time.monotonic() < deadline:
            self._sleep(_POLL_S)
            chunks = self._tester.target.flows(run.name, probes.id)
            now = sum(packets > 0 for chunk in chunks for packets in chunk.rx_packets)
            if now > reached:
                reached, deadline = now, time.monotonic() + _PATIENCE_S + rounds

    @staticmethod
    def _probes(run: StreamRun) -> PlannedStream:
        (probes,) = (stream for stream in run.plan.streams if stream.name == PROBES)
        return probes


def _solicited_node(address: Address) -> str:
    """The group at which a host is asked for (RFC 4291 §2.7.1)."""
    return str(IPv6Address(bytes.fromhex("ff0200000000000000000001ff") + address.packed[-3:]))


def _pps(rate: Frequency) -> Rate:
    return Rate(rate.per_second, RateUnit.PPS)
