# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Announces neighbours by ARP on one port, and sees from another which of them a router knows (norma §8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from fractions import Fraction

from .bench import Bench
from .errors import PlanError
from .measurement.flows import flows_of
from .measurement.learning import LearningCheck, LearningTrial
from .measurement.trial import Trial
from .model.editor import Editor, FieldPath, Sweep
from .model.endpoints import AddressRange
from .model.headers import Header, HeaderStack
from .model.plan import PlannedStream
from .model.ports import Port
from .model.quantity import Frequency
from .model.stream import Stream
from .model.units import Duration, Rate, RateUnit
from .run import Run

ANNOUNCEMENTS, PROBES = "announcements", "probes"
_BROADCAST = "ff:ff:ff:ff:ff:ff"
_TIMEOUT = Duration(300 * 10**9)
_LAG_S = Fraction(1, 20)  # of the first probe, so that an address is announced before it is probed
_POLL_S = 0.02
_PATIENCE_S = 1.0  # in which a device that learns on has to learn one more address, at least
_CHECKS = 3  # of whether all are known; each after they were announced once more
_ROUNDS = 2  # of probes in a check
_REQUEST, _REPLY = "1", "2"  # operations of RFC 826


class Announcement(Enum):
    """How an address is made known."""

    REPLY = "reply"  # to the device, which has not asked
    REQUEST = "request"  # a question for the device, which learns from whom it comes (RFC 826)
    GRATUITOUS = "gratuitous"  # a question of an address for itself, to all (RFC 5227 §3)


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
        """The first so many of them."""
        return replace(self, addresses=AddressRange(self.addresses.first, count))

    def announcements(self, port: Port) -> Stream:
        """ARP for one address after the other. PlanError unless the port is in a router's IPv4 network."""
        if self.addresses.first.version != 4:
            raise PlanError(f"{self.addresses} are no IPv4 addresses, which is what ARP is about")
        if port.gateway is None or port.address is None:
            raise PlanError(f"port {port.name!r} has no gateway: there is no router that could learn there")
        if not all(own in port.address.network for own in (self.addresses.first, self.addresses.last)):
            raise PlanError(f"{self.addresses} are not all in {port.address.network}, that of {port.name!r}")
        for what, address in (("address", port.address.ip), ("gateway", port.gateway)):
            if address in self.addresses:
                raise PlanError(
                    f"{self.addresses} hold {address}, the {what} of port {port.name!r}, which the "
                    "device knows already; give addresses without it"
                )
        mac, asked = self.mac or port.mac.hex(":"), str(port.gateway)
        reply = self.kind is Announcement.REPLY
        arp = {"op": _REPLY if reply else _REQUEST, "hwsrc": mac, "pdst": asked}
        link = {"src": mac} if reply else {"src": mac, "dst": _BROADCAST}
        changing = ["psrc", "pdst"] if self.kind is Announcement.GRATUITOUS else ["psrc"]
        return Stream(
            ANNOUNCEMENTS,
            tx=self.announce,
            rx=self.probe,
            rate=_pps(self.rate),
            headers=HeaderStack((Header("Ether", tuple(link.items())), Header("ARP", tuple(arp.items())))),
            editors=tuple(self._each(f"ARP.{field}") for field in changing),
        )

    def probes(self) -> Stream:
        """UDP to one address after the other. The tester does not tell the device where they are if asked."""
        return Stream(
            PROBES,
            tx=self.probe,
            rx=self.announce,
            rate=_pps(self.probe_rate),
            phase=self.probe_rate.per_second * _LAG_S,
            editors=(self._each("IP.dst"),),
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
        bench: Bench,
        neighbours: Neighbours,
        *,
        rest: Duration = Duration(0),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`rest`: in which a device forgets. PlanError if the neighbours cannot be announced there."""
        for name in (neighbours.announce, neighbours.probe):
            if name not in bench.ports:
                raise PlanError(f"{name!r} is no port of this tester; it has {', '.join(bench.ports)}")
        neighbours.announcements(bench.ports[neighbours.announce])
        self._bench, self._neighbours, self._rest, self._sleep = bench, neighbours, rest, sleep

    def measure(self, addresses: int) -> LearningTrial:
        """Announces again and again until all are known or none is learned any more; then counts.

        A device that takes no announcement may ask who has the address of a frame, and would take the next
        announcement for the answer. So the first address is announced before anything is sent to it: if the
        device does not know it then, all are announced while it has nothing to ask for.
        """
        bench, own = self._bench, self._neighbours.first(addresses)
        if not self._takes_announcements():
            return self._announced_only(own)
        streams = [own.announcements(bench.ports[own.announce]), own.probes()]
        started_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        bench.trials += 1
        with Run(bench, f"learning-{bench.trials}", streams).loaded() as run:
            run.start()
            self._watch(run, addresses)
            bench.target.stop([run.name])
            trial = run.finish()
            learning_ns = self._learning_ns(run, trial, own)
        known = self._best_check(addresses)
        announced = trial.stream(ANNOUNCEMENTS)
        return LearningTrial(
            addresses=addresses,
            learned=known,
            announced_rate=announced.achieved_rate,
            learning_ns=learning_ns,
            probing_ns=round(addresses * 10**9 / own.probe_rate.per_second),
            objections=trial.objections,
            started_at=started_at,
        )

    def _takes_announcements(self) -> bool:
        """Whether the device knows the first address once it was announced, repeatedly lest one be lost."""
        first = self._neighbours.first(1)
        for _ in range(_CHECKS):
            NeighbourMeasurer(self._bench, first).announce()
        return self._counted(first).known == 1

    def _announced_only(self, neighbours: Neighbours) -> LearningTrial:
        """What the device knows after one announcement of each address, with nothing sent to them before.

        The first address is known not to have been learned, and may have been asked for since.
        """
        started_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        addresses = neighbours.addresses
        others = AddressRange(addresses.first + (addresses.count > 1), max(1, addresses.count - 1))
        silent = replace(neighbours, addresses=others)
        stream = silent.announcements(self._bench.ports[neighbours.announce])
        with self._sent(stream, others.count) as run:
            trial = run.finish()
        counted = self._counted(silent) if addresses.count > 1 else LearningCheck(1, 0)
        return LearningTrial(
            addresses=addresses.count,
            learned=counted.known,
            announced_rate=trial.stream(ANNOUNCEMENTS).achieved_rate,
            learning_ns=0,
            probing_ns=round(addresses.count * 10**9 / neighbours.probe_rate.per_second),
            objections=tuple(dict.fromkeys((*trial.objections, *counted.objections))),
            started_at=started_at,
        )

    def announce(self) -> int:
        """Announces each address once. Returns how many announcements left."""
        own = self._neighbours
        stream = own.announcements(self._bench.ports[own.announce])
        with self._sent(stream, own.addresses.count) as run:
            (planned,) = run.plan.streams
            return self._bench.target.snapshot([run.name]).stream(planned.id).tx_packets

    def known(self) -> int:
        """Addresses to which the device forwards now; nothing is announced."""
        return self.counted().known

    def counted(self) -> LearningCheck:
        """The same with what speaks against it: a tester that lost frames counts too few."""
        return self._counted(self._neighbours)

    def check(self, addresses: int) -> LearningCheck:
        """Announces the first so many once, then counts those that are known."""
        own = self._neighbours.first(addresses)
        NeighbourMeasurer(self._bench, own).announce()
        return self._counted(own)

    def rest(self) -> None:
        """Leaves the device alone."""
        self._sleep(self._rest.seconds)

    def _counted(self, own: Neighbours) -> LearningCheck:
        with self._sent(own.probes(), _ROUNDS * own.addresses.count) as run:
            trial = run.finish()
        flows = trial.stream(PROBES).flows
        assert flows is not None, "the probes count their flows"
        known = flows.statistics.flows - flows.statistics.silent
        return LearningCheck(own.addresses.count, known, trial.objections)

    def _best_check(self, addresses: int) -> int:
        known = 0
        for _ in range(_CHECKS):
            known = max(known, self.check(addresses).known)
            if known == addresses:
                break
        return known

    def _learning_ns(self, run: Run, trial: Trial, own: Neighbours) -> int:
        """From the first announcement until the last address that was learned was forwarded to.

        By the tester's clock: an address was learned once its first frame that arrived did so. Those before
        it were lost, or waited in the device; the longest latency of its frames is that of the first one.
        """
        probes = self._probes(run)
        begun = trial.stream(PROBES).counters.first_tx_ns
        gap_ns = Fraction(10**9) / own.probe_rate.per_second
        last = 0
        for flow in flows_of(self._bench.target.flows(run.name, probes.id)):
            if flow.received:
                frames = flow.index + flow.lost * own.addresses.count
                last = max(last, begun + round(frames * gap_ns) + flow.latency_max_ns)
        return max(0, last - trial.stream(ANNOUNCEMENTS).counters.first_tx_ns)

    @contextmanager
    def _sent(self, stream: Stream, packets: int) -> Iterator[Run]:
        """So many frames of one stream, all of which have left."""
        bench = self._bench
        bench.trials += 1
        with Run(bench, f"neighbours-{bench.trials}", [stream]).loaded() as run:
            run.start(packets=packets)
            bench.target.wait([run.name], timeout=_TIMEOUT)
            yield run

    def _watch(self, run: Run, addresses: int) -> None:
        """Until all have been reached, or none was for so long that no more will be."""
        own, probes = self._neighbours, self._probes(run)
        rounds = 2 * addresses / float(min(own.rate.per_second, own.probe_rate.per_second))
        reached, deadline = 0, time.monotonic() + _PATIENCE_S + rounds
        while reached < addresses and time.monotonic() < deadline:
            self._sleep(_POLL_S)
            chunks = self._bench.target.flows(run.name, probes.id)
            now = sum(packets > 0 for chunk in chunks for packets in chunk.rx_packets)
            if now > reached:
                reached, deadline = now, time.monotonic() + _PATIENCE_S + rounds

    @staticmethod
    def _probes(run: Run) -> PlannedStream:
        (probes,) = (stream for stream in run.plan.streams if stream.name == PROBES)
        return probes


def _pps(rate: Frequency) -> Rate:
    return Rate(rate.per_second, RateUnit.PPS)
