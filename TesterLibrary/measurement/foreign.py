# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that arrived during a trial and are none of its own: ICMP errors, malformed and old ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..model.units.number import counted
from .counter import increase, total
from .snapshot import IcmpErrorCounters, PortCounters, Snapshot

_NAMES_4 = {
    (3, 0): "network unreachable",
    (3, 1): "host unreachable",
    (3, 2): "protocol unreachable",
    (3, 3): "port unreachable",
    (3, 4): "fragmentation needed",
    (3, 5): "source route failed",
    (3, 13): "communication administratively prohibited",
    (4, 0): "source quench",
    (11, 0): "time to live exceeded",
    (11, 1): "reassembly time exceeded",
}
_TYPES_4 = {3: "destination unreachable", 5: "redirect", 11: "time exceeded", 12: "parameter problem"}
_NAMES_6 = {
    (1, 0): "no route to destination",
    (1, 1): "communication administratively prohibited",
    (1, 3): "address unreachable",
    (1, 4): "port unreachable",
    (3, 0): "hop limit exceeded",
    (3, 1): "reassembly time exceeded",
}
_TYPES_6 = {1: "destination unreachable", 2: "packet too big", 3: "time exceeded", 4: "parameter problem"}


@dataclass(frozen=True)
class Foreign:
    """Frames that arrived on the ports of a trial and were no test frames of it.

    What the tester does not tell apart is None; then it is part of `others`.
    """

    frames: int = 0  # all of them; ARP and neighbour discovery, too
    stale: int | None = 0  # test frames of an earlier trial
    malformed: int | None = 0  # cut short, or with a wrong length or checksum
    fragments: int | None = 0  # pieces of IP packets
    icmp_errors: tuple[IcmpErrorCounters, ...] | None = ()

    @classmethod
    def between(cls, before: Snapshot, after: Snapshot, ports: Collection[str]) -> Foreign:
        """Foreign frames on these ports from one snapshot to another."""
        pairs = [(before.port(name), after.port(name)) for name in sorted(ports)]
        return cls(
            frames=sum(b.rx_foreign - a.rx_foreign for a, b in pairs),
            stale=total(increase(a.rx_stale, b.rx_stale) for a, b in pairs),
            malformed=total(increase(a.rx_malformed, b.rx_malformed) for a, b in pairs),
            fragments=total(increase(a.rx_fragments, b.rx_fragments) for a, b in pairs),
            icmp_errors=_icmp_errors(pairs),
        )

    @property
    def damaged(self) -> int:
        """Those that may have been test frames: malformed, in pieces, or of an earlier trial."""
        return (self.malformed or 0) + (self.fragments or 0) + (self.stale or 0)

    @property
    def others(self) -> int:
        """Frames of none of these kinds."""
        icmp = sum(error.frames for error in self.icmp_errors or ())
        return self.frames - self.damaged - icmp

    def __str__(self) -> str:
        """Findings that say something of the device; empty if there are none."""
        return "; ".join(self._found())

    def _found(self) -> Iterator[str]:
        if self.stale:
            yield f"{counted(self.stale, 'frame')} of an earlier trial still arrived (a loop?)"
        for error in self.icmp_errors or ():
            yield f"{counted(error.frames, 'ICMP error')} arrived: {name_of(error)}"
        if self.malformed:
            yield (
                f"{counted(self.malformed, 'malformed frame')} arrived (wrong length or checksum; transmit "
                "offload of a virtual device?)"
            )
        if self.fragments:
            yield f"{self.fragments:,} pieces of IP packets arrived without a signature"


NOTHING_FOREIGN = Foreign()


@dataclass(frozen=True)
class ForeignAt:
    """Foreign frames at one port that is none of the trial's streams."""

    port: str
    frames: int
    malformed: (
        int  # of these: cut short, or with a wrong length or checksum, pieces of packets, of earlier trials
    )

    @classmethod
    def between(cls, before: Snapshot, after: Snapshot, ports: Collection[str]) -> tuple[ForeignAt, ...]:
        """Those of all ports but these, from one snapshot to another."""
        each = (
            (port.name, Foreign.between(before, after, [port.name]))
            for port in after.ports
            if port.name not in ports
        )
        return tuple(cls(name, found.frames, found.damaged) for name, found in each if found.frames)

    def __str__(self) -> str:
        bad = (
            f", {self.malformed:,} of them malformed, in pieces or of an earlier trial"
            if self.malformed
            else ""
        )
        return f"{self.frames:,} frames without a signature at {self.port}{bad}"


def name_of(error: IcmpErrorCounters) -> str:
    """The name of an error in RFC 792 and RFC 4443, with type and code."""
    names, types = (_NAMES_6, _TYPES_6) if error.ip_version == 6 else (_NAMES_4, _TYPES_4)
    name = names.get((error.type, error.code)) or types.get(error.type, "another error")
    version = "v6" if error.ip_version == 6 else ""
    return f"{name} (ICMP{version} type {error.type} code {error.code})"


def _icmp_errors(
    pairs: Collection[tuple[PortCounters, PortCounters]],
) -> tuple[IcmpErrorCounters, ...] | None:
    counts: Counter[tuple[int, int, int]] = Counter()
    for before, after in pairs:
        if before.rx_icmp_errors is None or after.rx_icmp_errors is None:
            return None
        counts.update({_kind(error): error.frames for error in after.rx_icmp_errors})
        counts.subtract({_kind(error): error.frames for error in before.rx_icmp_errors})
    return tuple(IcmpErrorCounters(*kind, frames) for kind, frames in sorted(counts.items()) if frames)


def _kind(error: IcmpErrorCounters) -> tuple[int, int, int]:
    return error.ip_version, error.type, error.code
