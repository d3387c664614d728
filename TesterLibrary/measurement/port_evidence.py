# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Evidence of the tester's ports for one trial besides the frames that they have counted."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .counter import increase
from .snapshot import PortCounters, Snapshot

# The least bytes, FCS included, of the classes of frames received; shorter frames are in the first one.
_SIZE_COUNTERS = {
    64: "rx_up_to_64",
    65: "rx_65_to_127",
    128: "rx_128_to_255",
    256: "rx_256_to_511",
    512: "rx_512_to_1023",
    1024: "rx_1024_to_1518",
    1519: "rx_over_1518",
}
_BURSTS = 128  # frames that a port may hold at any time: a few bursts of a worker


def size_counter(size: int) -> str:
    """The counter of a port in which received frames of so many bytes are."""
    least = list(_SIZE_COUNTERS)
    return _SIZE_COUNTERS[least[max(0, bisect(least, size) - 1)]]


@dataclass(frozen=True)
class PortEvidence:
    """The increase of one port's counters over a trial. None is what its driver does not count."""

    name: str
    rx_errors: int | None = None  # arrived damaged: FCS or length
    tx_errors: int | None = None  # taken by the port, and not sent
    rx_pause: int | None = None  # PAUSE frames that arrived
    rx_unseen: int | None = None  # received by the interface, and not by the tester
    obeys_pause: bool = False  # flow control could not be switched off
    faults: tuple[str, ...] = ()  # of its interface, for as long as the port is open
    rx_sizes: Mapping[int, int] | None = None  # frames received, by the least bytes of their class

    @classmethod
    def between(cls, before: PortCounters, after: PortCounters) -> PortEvidence:
        """The evidence of a port between two readings of its counters."""
        return cls(
            name=after.name,
            rx_errors=_increase(before.rx_errors, after.rx_errors),
            tx_errors=_increase(before.tx_errors, after.tx_errors),
            rx_pause=_increase(before.rx_pause, after.rx_pause),
            rx_unseen=_increase(before.rx_unseen, after.rx_unseen),
            obeys_pause=after.obeys_pause,
            faults=after.objections,
            rx_sizes=_sizes(before, after),
        )

    def objections(self, most_lost: int) -> Iterator[str]:
        """Why what was measured at the port is not to be trusted; it may lose `most_lost` frames."""
        for fault in self.faults:
            yield f"port {self.name}: {fault}"
        if (self.rx_unseen or 0) > most_lost:
            yield (
                f"the interface of port {self.name} received {self.rx_unseen:,} frames that the tester "
                f"did not see (limit {most_lost})"
            )
        if (self.tx_errors or 0) > most_lost:
            yield f"port {self.name} could not send {self.tx_errors:,} of its frames (limit {most_lost})"
        if self.rx_pause and self.obeys_pause:
            yield (
                f"port {self.name} received {self.rx_pause:,} PAUSE frames, and its flow control could not "
                "be switched off: the device has held the tester up"
            )

    def remarks(self) -> Iterator[str]:
        """Remarks on what the device did to the port; the trial is valid all the same."""
        if self.rx_errors:
            yield f"{self.rx_errors:,} frames arrived damaged (FCS or length) at port {self.name}"
        if self.rx_pause and not self.obeys_pause:
            yield f"{self.rx_pause:,} PAUSE frames arrived at port {self.name}, which does not obey them"


def port_evidence(before: Snapshot, after: Snapshot, names: Collection[str]) -> tuple[PortEvidence, ...]:
    """The evidence of each of the ports between two snapshots."""
    return tuple(PortEvidence.between(before.port(name), after.port(name)) for name in sorted(names))


def lost_at_ports(before: Snapshot, after: Snapshot, names: Iterable[str]) -> int:
    """Frames that the tester's own rings and interfaces lost between two snapshots, as far as it counts."""
    lost = 0
    for name in names:
        one, other = before.port(name), after.port(name)
        lost += increase(one.rx_missed, other.rx_missed) or 0
        lost += increase(one.kernel_dropped, other.kernel_dropped) or 0
    return lost


def port_objections(ports: Iterable[PortEvidence], most_lost: int) -> Iterator[str]:
    """Objections of all the ports."""
    for port in ports:
        yield from port.objections(most_lost)


def held_objections(before: Snapshot, after: Snapshot, names: Iterable[str], most: Fraction) -> Iterator[str]:
    """Ports that hold frames which count as sent: more than a part of those sent, and than a few bursts."""
    for name in sorted(names):
        held = after.port(name).tx_held or 0
        sent = after.port(name).tx_packets - before.port(name).tx_packets
        if held > _BURSTS and held > most * sent:
            yield (
                f"port {name} still holds {held:,} of {sent:,} frames that it took: its interface is slower "
                "than what it is given"
            )


def _sizes(before: PortCounters, after: PortCounters) -> Mapping[int, int] | None:
    """Frames of each class that there were; None if the tester does not count them."""
    found = {
        least: _increase(getattr(before, name), getattr(after, name))
        for least, name in _SIZE_COUNTERS.items()
    }
    counted = {least: frames for least, frames in found.items() if frames is not None}
    return {least: frames for least, frames in counted.items() if frames} if counted else None


def _increase(before: int | None, after: int | None) -> int | None:
    # Some drivers have a counter only from the first event on; before it the count was 0.
    return None if after is None else after - (before or 0)


def links_down(before: Snapshot, after: Snapshot, ports: Collection[str]) -> tuple[str, ...]:
    """Names of ports whose link was down at one of two snapshots, or was lost between them."""
    return tuple(name for name in sorted(ports) if _was_down(before.port(name), after.port(name)))


def link_objection(down: Collection[str], most: int) -> Iterator[str]:
    """An objection, if the links of more ports were down than are allowed."""
    if len(down) > most:
        yield f"the link of {' and of '.join(down)} was down" + (f" (limit {most} ports)" if most else "")


def _was_down(before: PortCounters, after: PortCounters) -> bool:
    lost = before.link_downs is not None and after.link_downs != before.link_downs
    return lost or False in (before.link_up, after.link_up)
