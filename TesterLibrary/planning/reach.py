# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the addresses in a stream's frames, so that the tester can answer for them and announce them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address

from ..errors import PlanError
from ..model.plan.edit import Distribution, RandomBits, RandomRange, Source, Step, Values
from ..model.plan.plan import LearningFrame, PlannedNeighbour
from ..model.ports import Address, Port
from ..wire.address import Station
from .editor import FieldChange
from .frame import mac_announcement
from .template import FramePlace, FrameTemplate

_BROADCAST = IPv4Address("255.255.255.255")
MOST_ADDRESSES = 4096  # values of one field; a device needs a route to reach more addresses


class Reach:
    """The addresses in the outermost Ethernet and IP headers of a stream's frames."""

    def __init__(
        self, template: FrameTemplate, changes: Sequence[FieldChange], *, announces: bool = True
    ) -> None:
        """`announces`: a bridge is to learn the destination MAC addresses that change from frame to frame."""
        self._template = template
        self._announces = announces
        self._changes = {change.place: change for change in changes}

    def neighbours(self, tx: Station, rx: Station) -> Iterator[PlannedNeighbour]:
        """The addresses of both ends in the networks of their ports, where devices ask for neighbours."""
        for station, field in ((tx, "src"), (rx, "dst")):
            for kind, header in ((IPv4Address, "IP"), (IPv6Address, "IPv6")):
                for number in self._values(header, field):
                    if _is_asked_for(address := kind(number), station.port):
                        yield PlannedNeighbour(station.port.name, address, station.port.mac)

    def require_answers(self, rx: Station, stream: str) -> None:
        """PlanError if a router asks for more destinations in its own network than the tester answers for."""
        network = rx.port.address.network if rx.port.address and rx.port.gateway else None
        header = "IPv6" if network is not None and network.version == 6 else "IP"
        place = self._outermost(header, "dst")
        change = self._changes.get(place) if place else None
        if network is None or change is None or possible(change.source, MOST_ADDRESSES):
            return
        lowest, highest = map(change.whole, _EXTREMES[type(change.source)](change.source))
        if lowest <= highest and (highest < int(network[0]) or int(network[-1]) < lowest):
            return
        kind = type(network[0])
        raise PlanError(
            f"stream {stream!r}: {header}.dst has more than {MOST_ADDRESSES:,} values, {kind(lowest)} to "
            f"{kind(highest)}, some of them in {network}, where the device asks for each on port "
            f"{rx.port.name}; the tester answers for {MOST_ADDRESSES:,} at most: give fewer, or destinations "
            "that the device reaches by a route"
        )

    def learning(self, rx: Station) -> Iterator[LearningFrame]:
        """Frames from which a bridge learns the MAC addresses of an edited destination field."""
        place = self._outermost("Ether", "dst")
        if self._announces and place in self._changes and not rx.port.gateway:
            for number in self._values("Ether", "dst"):
                mac = number.to_bytes(6, "big")
                if not mac[0] & 1 and mac != rx.port.mac:
                    yield LearningFrame(rx.port.name, mac_announcement(mac))

    def _values(self, header: str, field: str) -> Collection[int]:
        """The values of a field over all frames; none if there is no such field or it has too many values."""
        place = self._outermost(header, field)
        if place is None:
            return ()
        change = self._changes.get(place)
        if change is None:
            return (place.of(self._template.frame),)
        return [change.whole(number) for number in possible(change.source, MOST_ADDRESSES)]

    def _outermost(self, header: str, field: str) -> FramePlace | None:
        """A field of the first header of the frame, or of its first IP header if that is of this version."""
        alike = ("IP", "IPv6") if header in ("IP", "IPv6") else (header,)
        places = self._template.places
        first = next((place.layer for place in places if place.path.header in alike), None)
        found = [p for p in places if p.layer == first and (p.path.header, p.path.field) == (header, field)]
        return found[0] if found else None


def possible(source: Source, most: int) -> Iterable[int]:
    """The values that a source has in some frame, in rising order; none if they are more than `most`."""
    count, listed = _POSSIBLE[type(source)](source)
    return sorted(set(listed)) if count <= most else ()


def _of_mask(source: RandomBits) -> Iterator[int]:
    """All values of its random bits, which are counted through under the mask."""
    part = 0
    while True:
        yield source.base & ~source.mask | part
        part = (part - source.mask) & source.mask
        if not part:
            return


_POSSIBLE: dict[type, Callable[..., tuple[int, Iterable[int]]]] = {
    Step: lambda source: (source.count, map(source.value, range(source.count))),
    Values: lambda source: (len(source.values), source.values),
    RandomBits: lambda source: (1 << source.mask.bit_count(), _of_mask(source)),
    RandomRange: lambda source: (source.count, range(source.first, source.first + source.count)),
    Distribution: lambda source: (len(source.values), source.values),
}

# The lowest and the highest value that a source may have.
_EXTREMES: dict[type, Callable[..., tuple[int, int]]] = {
    Step: lambda source: _ends([source.first, source.value(source.count - 1)]),
    Values: lambda source: _ends(source.values),
    RandomBits: lambda source: (source.base & ~source.mask, source.base | source.mask),
    RandomRange: lambda source: (source.first, source.first + source.count - 1),
    Distribution: lambda source: _ends(source.values),
}


def _ends(values: Collection[int]) -> tuple[int, int]:
    return min(values), max(values)


def _is_asked_for(address: Address, port: Port) -> bool:
    if address.is_multicast or address.is_unspecified or address == _BROADCAST:
        return False
    return port.address is None or address in port.address.network
