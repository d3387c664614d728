# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses that a device learns once, and is watched until it has forgotten: two `AgeingMeasurer`s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from math import ceil

from ...errors import PlanError
from ...measurement.counter import Counter, not_counted
from ...measurement.snapshot import Snapshot, StreamCounters
from ...measurement.trial import Trial
from ...methodology.ageing import AgeingTrial, Table
from ...model.endpoints import AddressRange
from ...model.headers import Header, HeaderStack
from ...model.stream import Stream
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Rate, RateUnit
from ...reporting.record.machine import wall_clock
from ..observation import observe
from ..shot import Shot
from ..tester import Tester
from .addresses import AddressPorts, TableMeasurer
from .announcement import Announcement, Neighbours

_FIRST = 0x02_00_02_00_00_00  # locally administered, beside those of the searches of a table
_LEARNED = Duration(100_000_000)  # in which a device that learns in software has done so
_QUIET_GAPS, _QUIET_NS = 10, 500_000_000  # without a frame for both, no frame comes any more
_IN_A_ROW = 10  # frames that are flooded: the address is forgotten
_KNOWN_BY_NS = 500_000_000  # a neighbour that was learned gets the first frame by then
_LEARN, _PROBE = "learned", "probes"


class _Watched:
    """One address: a frame from it, or an announcement of it, and frames to it."""

    def __init__(self, tester: Tester, learn: Stream, probe: Stream) -> None:
        self._tester, self._learn, self._probe = tester, learn, probe
        self.gap_ns = ceil(10**9 / probe.rate.value)
        self.quiet_ns = max(_QUIET_NS, _QUIET_GAPS * self.gap_ns)

    def watch(self, is_over: Callable[[StreamCounters, int], bool], timeout: Duration) -> _Seen:
        """Lets it be learned, then sends frames to it until `is_over`, of their counters and the time now."""
        tester = self._tester
        number, started_at = tester.evidence.next_trial(), wall_clock()
        learned = Shot(tester, f"ageing-{_LEARN}", [self._learn], number=number)
        probes = Shot(tester, f"ageing-{_PROBE}", [self._probe], number=number)
        # The probes are loaded first, which takes a time in which the device might forget.
        with probes.run.loaded() as probe, learned.sent(packets=1, settle=_LEARNED) as learn:
            probe.start()
            ends_ns = tester.target.snapshot([probe.name]).taken_at_ns + timeout.ns
            snapshot = tester.clock.reading(
                lambda: tester.target.snapshot([probe.name]),
                lambda now: now.taken_at_ns >= ends_ns or is_over(now.streams[0], now.taken_at_ns),
            )
            tester.target.stop([probe.name])
            tester.clock.sleep(
                tester.rules.settle.seconds
            )  # a frame that is flooded arrives at several ports
            return _Seen(learn.so_far(), probe.so_far(), snapshot, started_at, self.gap_ns)


class _Seen:
    """The fate of the frames to one address."""

    def __init__(self, learn: Trial, probe: Trial, last: Snapshot, started_at: str, gap_ns: int) -> None:
        self.learned_ns = learn.streams[0].counters.last_tx_ns
        self.probes, self.gap_ns, self.started_at = probe.streams[0].counters, gap_ns, started_at
        self.last_ns = last.taken_at_ns
        self.objections = tuple(dict.fromkeys((*learn.objections, *probe.objections)))

    @property
    def way_ns(self) -> int:
        """The longest time that a frame was on its way."""
        return self.probes.latency.max_ns if self.probes.latency.count else 0

    def trial(self, address: str, *, known: bool, least_ns: int, most_ns: int | None) -> AgeingTrial:
        """The trial, from times on the tester's clock."""
        return AgeingTrial(
            address=address,
            known=known,
            least_ns=max(0, least_ns - self.learned_ns),
            most_ns=None if most_ns is None else max(0, most_ns - self.learned_ns),
            objections=self.objections,
            started_at=self.started_at,
        )


class BridgeAgeing:
    """A bridge floods frames to an address that it has forgotten: they arrive at a third port."""

    table = Table.MAC

    def __init__(self, tester: Tester, learn: str, test: str, watch: str | None, rate: Frequency) -> None:
        """PlanError: ports or a tester that `TableMeasurer` refuses, or a `watch` that is no third port."""
        _refuse_without_times(tester)
        ports = AddressPorts(learn, test, rate)
        self._table = TableMeasurer(tester, ports, rest=Duration(0))
        others = [name for name in tester.ports if name not in (learn, test)]
        if watch is not None and watch not in others:
            raise PlanError(f"watch={watch!r} is no third port of this tester; it has {', '.join(others)}")
        self._tester, self._ports, self._watch = tester, ports, watch or others[0]
        self._numbers = count()

    def age(self, timeout: Duration) -> AgeingTrial:
        """See AgeingMeasurer."""
        mac = (_FIRST + next(self._numbers)).to_bytes(6, "big").hex(":")
        asked = self._ports, self._watch
        return _observed(self._tester, lambda: self._age(mac, timeout), mac, timeout, *asked)

    def _age(self, mac: str, timeout: Duration) -> AgeingTrial:
        ports = self._ports
        if not self._table.floods_now():
            return AgeingTrial(
                mac,
                known=False,
                least_ns=0,
                most_ns=None,
                objections=("frames to an address that nobody has were seen at no other port",),
            )
        learn = _frame(_LEARN, ports.learn, ports.test, "src", mac, ports.probe_rate)
        probe = _frame(_PROBE, ports.test, self._watch, "dst", mac, ports.probe_rate)
        watched = _Watched(self._tester, learn, probe)

        def is_over(counters: StreamCounters, now_ns: int) -> bool:
            waited_ns = now_ns - counters.first_rx_ns if counters.rx_packets else 0
            return counters.rx_packets >= _IN_A_ROW or waited_ns > watched.quiet_ns

        seen = watched.watch(is_over, timeout)
        known = was_known(seen.probes, ports.learn)
        if not seen.probes.rx_packets:
            return seen.trial(mac, known=known, least_ns=seen.last_ns, most_ns=None)
        first_ns = seen.probes.first_rx_ns
        least_ns = first_ns - seen.way_ns - 2 * seen.gap_ns  # the one before it was not flooded
        trial = seen.trial(mac, known=known, least_ns=least_ns, most_ns=first_ns)
        doubt = flooded_now_and_then(seen.probes, seen.last_ns, seen.gap_ns)
        return replace(trial, objections=(*trial.objections, *([doubt] if doubt else [])))


def flooded_now_and_then(probes: StreamCounters, last_ns: int, gap_ns: int) -> str:
    """Says that a bridge floods some frames to an address that it knows; empty if it flooded most of them."""
    due = (last_ns - probes.first_rx_ns) // gap_ns + 1
    if 2 * probes.rx_packets >= due:
        return ""
    return (
        f"{probes.rx_packets:,} of {due:,} frames were flooded from the first one on: the device floods some "
        "frames to an address that it knows, so the time at which it forgets one is not known"
    )


def was_known(probes: StreamCounters, learn: str) -> bool:
    """Whether frames arrived where the address is before they were flooded, which arrive there as well."""
    arrived = dict(zip(probes.rx_misrouted_ports, probes.rx_misrouted_by_port or (), strict=False))
    return arrived.get(learn, 0) > probes.rx_packets


class NeighbourAgeing:
    """A router that has forgotten a neighbour, who does not answer, forwards no frame to it."""

    table = Table.NEIGHBOURS

    def __init__(self, tester: Tester, neighbours: Neighbours) -> None:
        """PlanError if the neighbours cannot be announced there, or the tester tells no exact times."""
        _refuse_without_times(tester)
        for name in (neighbours.announce, neighbours.probe):
            if name not in tester.ports:
                raise PlanError(f"{name!r} is no port of this tester; it has {', '.join(tester.ports)}")
        neighbours.announcements(tester.ports[neighbours.announce])
        self._tester, self._neighbours = tester, neighbours
        self._numbers = iter(range(neighbours.addresses.count))

    def age(self, timeout: Duration) -> AgeingTrial:
        """See AgeingMeasurer. PlanError if all addresses were used."""
        neighbours = self._neighbours
        number = next(self._numbers, None)
        if number is None:
            raise PlanError(f"{neighbours.addresses} are fewer addresses than cycles; give more of them")
        address = neighbours.addresses.first + number
        one = replace(neighbours, addresses=AddressRange(address))
        return _observed(self._tester, lambda: self._age(one, timeout), one, timeout)

    def _age(self, one: Neighbours, timeout: Duration) -> AgeingTrial:
        address = one.addresses.first
        learn = one.announcements(self._tester.ports[one.announce])
        probe = replace(one.probes(), start_after=Duration(0), count_flows=False)
        watched = _Watched(self._tester, learn, probe)

        def is_over(counters: StreamCounters, now_ns: int) -> bool:
            if not counters.rx_packets:
                return counters.first_tx_ns > 0 and now_ns - counters.first_tx_ns > _KNOWN_BY_NS
            return now_ns - counters.last_rx_ns > watched.quiet_ns

        seen = watched.watch(is_over, timeout)
        if not seen.probes.rx_packets:
            return seen.trial(str(address), known=False, least_ns=0, most_ns=None)
        last_ns = seen.probes.last_rx_ns
        if seen.last_ns - last_ns <= watched.quiet_ns:
            return seen.trial(str(address), known=True, least_ns=last_ns - seen.way_ns, most_ns=None)
        most_ns = last_ns + 2 * seen.gap_ns  # the one after it did not arrive
        return seen.trial(str(address), known=True, least_ns=last_ns - seen.way_ns, most_ns=most_ns)


def _observed(
    tester: Tester, age: Callable[[], AgeingTrial], address: object, timeout: Duration, *asked: object
) -> AgeingTrial:
    """A trial of an address. An interrupted attempt may have had it learned: it has to be forgotten first."""

    def forget() -> None:
        tester.clock.sleep(timeout.seconds)

    return observe(tester, AgeingTrial, age, address, timeout, *asked, prepare=forget).found


def _refuse_without_times(tester: Tester) -> None:
    if missing := {Counter.ARRIVAL_TIMES} - tester.capabilities.counts:
        raise PlanError(f"ageing times cannot be measured: {not_counted(missing)}")


def neighbours_of(
    addresses: AddressRange, learn: str, test: str, rate: Frequency, kind: Announcement
) -> Neighbours:
    """Neighbours that are announced once, and to whom frames are sent at a rate."""
    return Neighbours(addresses, learn, test, rate, rate, kind)


def _frame(name: str, tx: str, rx: str, field: str, mac: str, rate: Frequency) -> Stream:
    """Frames from an address, or to it."""
    return Stream(
        name,
        tx=tx,
        rx=rx,
        rate=Rate(rate.per_second, RateUnit.PPS),
        headers=HeaderStack((Header("Ether", ((field, mac),)), Header("IP"), Header("UDP"))),
        answered=False,
    )
