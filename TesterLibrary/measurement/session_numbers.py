# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts of a responder or clients since their start, or between two reads: connections, payload, times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from ..errors import UnitError
from ..model.protocol import Protocol
from .counter import increase
from .delays.histogram import bounds_of, index_of
from .delays.latency import Figure, Latency
from .delays.latency_error import LatencyError
from .snapshot import DurationCounters, EndCounters, LatencyCounters

_MICROSECOND = 1000
# Times are whole microseconds, and extremes of a difference are known only by their buckets.
_ERROR = LatencyError(figure=Fraction(1, 500), spread_ns=_MICROSECOND)
_PER_SECOND = "/s"
_TIME = r"(.*time_[a-z_]+)\.(.+)"
OPENING_TIMES = ("time_to_open", "time_to_answer")  # which the other end takes to answer an opening
_FACTS = ("opens", "untimed", "interpreted")
_NOT_SUMMED = ("concurrent", "most_concurrent", *_FACTS)
# The names in shipped tables for a request that has its response.
_TRANSACTIONS = ("completed", "responses", "answered", "echoed")

Numbers = TypeVar("Numbers", bound="SessionNumbers")


@dataclass(frozen=True)
class SessionNumbers:
    """Counters of one end over a time.

    `counters` and `histograms` are those of the tables, each by `table.name`, such as `tcp.reset`. What the
    tester does not count is None.
    """

    name: str
    duration_ns: int
    counters: Mapping[str, int]
    histograms: Mapping[str, DurationCounters] = field(default_factory=dict)
    openings: int = 0  # flows that it tried to open
    put_off: int = 0  # openings that waited until another flow was over
    begun: int | None = None  # flows
    ended: int | None = None
    failed: int | None = None
    stopped: int | None = None  # flows that were open when the end was stopped, and were ended by that
    concurrent: int | None = None  # at the end of the time
    most_concurrent: int | None = None  # since the start
    full: int | None = None  # flows refused because there was no room for another one
    rx_packets: int = 0
    rx_bytes: int | None = None
    tx_packets: int = 0
    tx_bytes: int | None = None
    foreign: int | None = None
    malformed: int | None = None
    endless: int | None = None
    not_sent: int = 0  # frames that the port did not take in time, or that were too long for it
    opens: bool = False  # it opens flows, so it is a client
    untimed: bool = False  # no timer of its tables ends a flow, so its flows wait for ever
    interpreted: bool | None = None  # its tables are; None: the tester has one way to run tables only
    unread: Mapping[str, str] = field(default_factory=dict)  # by counter, what a table cannot read
    failures: tuple[str, ...] = ()  # counters of what flows fail by
    examples: str = ""  # the first byte that a table verified and that was another one, and the like

    @classmethod
    def of(
        cls: type[Numbers],
        protocol: Protocol,
        counted: EndCounters,
        duration_ns: int,
        *,
        opens: bool = False,
        examples: str = "",
    ) -> Numbers:
        """The counters of an end since its start, by the names that its protocol has for them."""
        layers = protocol.layers
        counters = [f"{layer.name}.{name}" for layer in layers for name in layer.counters]
        histograms = [f"{layer.name}.{name}" for layer in layers for name in layer.histograms]
        return cls(
            name=counted.name,
            duration_ns=duration_ns,
            counters=dict(zip(counters, counted.counters, strict=True)),
            histograms=dict(zip(histograms, counted.histograms, strict=True)),
            openings=counted.openings,
            put_off=counted.put_off,
            begun=counted.flows_begun,
            ended=counted.flows_ended,
            failed=counted.flows_failed,
            stopped=counted.flows_stopped,
            concurrent=counted.flows,
            most_concurrent=counted.most_flows,
            full=counted.full,
            rx_packets=counted.rx_packets,
            rx_bytes=counted.rx_bytes,
            tx_packets=counted.tx_packets,
            tx_bytes=counted.tx_bytes,
            foreign=counted.foreign,
            malformed=counted.malformed,
            endless=counted.endless,
            not_sent=counted.not_sent + (counted.too_long or 0),
            opens=opens,
            untimed=not protocol.times_out,
            interpreted=counted.interpreted,
            unread={f"{layer.name}.{name}": what for layer in layers for name, what in layer.unread},
            failures=tuple(f"{layer.name}.{name}" for layer in layers for name in layer.failures),
            examples=examples,
        )

    def since(self: Numbers, earlier: Numbers) -> Numbers:
        """The statistics since an earlier read of the same start."""
        counted = {
            name: increase(getattr(earlier, name), value)
            for name, value in vars(self).items()
            if name not in _NOT_SUMMED and (isinstance(value, int) or value is None)
        }
        return type(self)(
            name=self.name,
            opens=self.opens,
            untimed=self.untimed,
            interpreted=self.interpreted,
            unread=self.unread,
            failures=self.failures,
            examples=self.examples,
            concurrent=self.concurrent,
            most_concurrent=self.most_concurrent,
            counters={name: value - earlier.counters.get(name, 0) for name, value in self.counters.items()},
            histograms={
                name: _difference(earlier.histograms.get(name, DurationCounters()), value)
                for name, value in self.histograms.items()
            },
            **counted,  # type: ignore[arg-type]
        )

    @property
    def attempted(self) -> int:
        """Connections that were tried to open from this end."""
        return self.openings

    @property
    def established(self) -> int | None:
        """Connections that the other end has answered; None where the protocol's tables do not tell.

        Tables that count no `established` tell it by their answers. A responder's flows begin with what the
        other end has sent.
        """
        if self._has("established"):
            return self._sum("established")
        if not self.opens:
            return self.begun
        transactions = self.transactions
        return transactions if transactions is None or self.begun is None else min(self.begun, transactions)

    @property
    def unanswered(self) -> int | None:
        """Connections that were opened from here and have neither been answered nor failed so far."""
        if self.established is None or self.failed is None:
            return None
        return max(0, self.openings - self.established - self.failed)

    @property
    def smooth(self) -> bool:
        """Whether nothing failed, waits or was sent again; False where the tables do not tell."""
        return self.failed == 0 and self.waiting == 0 and not self.retransmitted

    @property
    def waiting(self) -> int | None:
        """Connections that wait for the other end: to be opened; without timers for their response, too."""
        transactions, completed, unanswered = self.transactions, self.completed, self.unanswered
        if not (self.opens and self.untimed) or transactions is None or completed is None:
            return unanswered
        if self.concurrent is None:
            return unanswered
        closing = max(0, transactions - completed)  # have their response
        return max(unanswered or 0, self.concurrent - closing)

    @property
    def slowest_ns(self) -> int:
        """The longest that the other end took to answer an opening, as far as it was measured."""
        measured = {key.partition(".")[2] for key in self.histograms}
        return max((self.times(name).max or 0 for name in measured.intersection(OPENING_TIMES)), default=0)

    @property
    def completed(self) -> int | None:
        """Flows that ended well; of a responder all that ended: only who opens flows knows of failures."""
        if self.ended is None or self.failed is None:
            return None
        return max(0, self.ended - self.failed)

    @property
    def transactions(self) -> int | None:
        """Requests with their responses, complete; None where no table counts them."""
        return sum(map(self._sum, _TRANSACTIONS)) if any(map(self._has, _TRANSACTIONS)) else None

    @property
    def crossed(self) -> int:
        """Frames that arrived at a flow and were for another, as far as the tables count them."""
        return self._sum("crossed")

    @property
    def retransmitted(self) -> int:
        """Sends repeated for lack of an answer, as far as the tables count them."""
        return self._sum("retransmitted")

    @property
    def first_bytes(self) -> int | None:
        """Requests to which a response as asked for has begun; None where no table measures it."""
        times = [value for key, value in self.histograms.items() if key.endswith(".time_to_first_byte")]
        return sum(value.count for value in times) if times else None

    @property
    def bytes_received(self) -> int | None:
        """Payload that arrived in order, each byte once; None where no table counts it."""
        return self._sum("bytes_received") if self._has("bytes_received") else None

    @property
    def goodput_bps(self) -> float | None:
        """Bits of payload received in order each second (RFC 2647 §3.7); None where it is not counted."""
        return self._bps(self.bytes_received)

    @property
    def bytes_delivered(self) -> int | None:
        """Payload that the other end has acknowledged, each byte once; None where no table counts it."""
        return self._sum("bytes_delivered") if self._has("bytes_delivered") else None

    @property
    def delivered_bps(self) -> float | None:
        """Bits of payload that the other end has acknowledged each second; None where not counted."""
        return self._bps(self.bytes_delivered)

    @property
    def connection_rate(self) -> float | None:
        """Connections established each second (RFC 2647 §3.4)."""
        return self.per_second("established")

    def times(self, name: str) -> Latency:
        """Times of a histogram, such as `time_to_first_byte`, over all tables; in nanoseconds."""
        histograms = [
            histogram for key, histogram in self.histograms.items() if name in (key, key.partition(".")[2])
        ]
        if not histograms:
            names = _listed(self._short(self.histograms))
            raise UnitError(f"{self.name} measures no {name!r}; it measures {names}")
        return Latency.merged(Latency(in_nanoseconds(histogram), _ERROR) for histogram in histograms)

    def per_second(self, name: str) -> float | None:
        """A count over its time; None where it is not counted."""
        count = self.count(name)
        if count is None:
            return None
        return count * 1e9 / self.duration_ns if self.duration_ns else 0.0

    def count(self, name: str) -> int | None:
        """A count by its name: `reset`, or that of one table, `tcp.reset`; None where it is not counted.

        Raises:
            UnitError: another name.
        """
        if name in self._own_counts():
            count: int | None = getattr(self, name)
            return count
        if not self._has(name):
            names = [*self._short(self.counters), *self._own_counts()]
            raise UnitError(f"{self.name} counts no {name!r}; it counts {_listed(dict.fromkeys(names))}")
        return self._sum(name)

    def figure(self, name: str) -> Figure | None:
        """A time by its name, with its error; None for what is no time. UnitError as `statistic`."""
        timed = re.fullmatch(_TIME, name)
        return self.times(timed[1]).figure(timed[2]) if timed else None

    def statistic(self, name: str) -> float | None:
        """A statistic by name: `reset`, `established/s`, `goodput`, `delivered`, or in ns `time_to_open.p99`.

        None for what nobody counts, and for a time of which none was measured.

        Raises:
            UnitError: another name.
        """
        if name in ("goodput", "delivered"):
            return self.goodput_bps if name == "goodput" else self.delivered_bps
        if name.endswith(_PER_SECOND):
            return self.per_second(name.removesuffix(_PER_SECOND))
        timed = re.fullmatch(_TIME, name)
        if timed:
            value = self.times(timed[1]).statistic(timed[2])
            return None if value is None else float(value)
        return self.count(name)

    def _has(self, name: str) -> bool:
        return any(name in (key, key.partition(".")[2]) for key in self.counters)

    def _bps(self, octets: int | None) -> float | None:
        if octets is None:
            return None
        return octets * 8e9 / self.duration_ns if self.duration_ns else 0.0

    def _sum(self, name: str) -> int:
        return sum(value for key, value in self.counters.items() if name in (key, key.partition(".")[2]))

    @staticmethod
    def _short(names: Mapping[str, object]) -> Iterator[str]:
        return (name.partition(".")[2] for name in names)

    def _own_counts(self) -> list[str]:
        properties = (
            "attempted",
            "established",
            "completed",
            "transactions",
            "bytes_received",
            "bytes_delivered",
        )
        values = ((name, value) for name, value in vars(self).items() if name not in _FACTS)
        counts = (name for name, value in values if value is None or type(value) is int)
        return [*properties, *counts]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def in_nanoseconds(durations: DurationCounters) -> LatencyCounters:
    """The durations in nanoseconds; each bucket goes where its middle belongs."""
    buckets: Counter[int] = Counter()
    for index, count in durations.buckets.items():
        low, high = bounds_of(index)
        buckets[index_of((low + high - 1) * _MICROSECOND // 2)] += count
    return LatencyCounters(
        count=durations.count,
        sum_ns=durations.sum_us * _MICROSECOND,
        min_ns=durations.min_us * _MICROSECOND,
        max_ns=durations.max_us * _MICROSECOND,
        buckets=buckets,
    )


def _difference(before: DurationCounters, after: DurationCounters) -> DurationCounters:
    """Durations counted in between; the extremes are those of their buckets, within those of all."""
    buckets = {
        index: count - before.buckets.get(index, 0)
        for index, count in after.buckets.items()
        if count > before.buckets.get(index, 0)
    }
    if not buckets:
        return DurationCounters()
    return DurationCounters(
        count=after.count - before.count,
        sum_us=after.sum_us - before.sum_us,
        min_us=max(after.min_us, bounds_of(min(buckets))[0]),
        max_us=min(after.max_us, bounds_of(max(buckets))[1] - 1),
        buckets=buckets,
    )
