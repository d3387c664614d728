# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whose addresses the frames of a stream bear, so that the tester can answer for them and announce them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address

from ..model.edit import Distribution, RandomBits, RandomRange, Source, Step, Values
from ..model.plan import LearningFrame, PlannedNeighbour
from ..model.ports import Address, Port
from .address import Station
from .editor import Change
from .frame import mac_announcement
from .template import Place, Template

MOST_ADDRESSES = 4096  # of one field; who sends from more of them needs a route to them


class Reach:
    """The addresses in the outermost Ethernet and IP headers of a stream's frames."""

    def __init__(self, template: Template, changes: Sequence[Change]) -> None:
        self._template = template
        self._changes = {own.place: own for own in changes}

    def neighbours(self, tx: Station, rx: Station) -> Iterator[PlannedNeighbour]:
        """Of both ends, as far as they are in the networks of their ports, which ask for neighbours."""
        for station, field in ((tx, "src"), (rx, "dst")):
            for kind, header in ((IPv4Address, "IP"), (IPv6Address, "IPv6")):
                for number in self._values(header, field):
                    if _is_asked_for(address := kind(number), station.port):
                        yield PlannedNeighbour(station.port.name, address, station.port.mac)

    def learning(self, rx: Station) -> Iterator[LearningFrame]:
        """From which a bridge learns where MAC addresses are to which frames go in turn."""
        place = self._outermost("Ether", "dst")
        if place in self._changes and not rx.port.gateway:
            for number in self._values("Ether", "dst"):
                mac = number.to_bytes(6, "big")
                if not mac[0] & 1 and mac != rx.port.mac:
                    yield LearningFrame(rx.port.name, mac_announcement(mac))

    def _values(self, header: str, field: str) -> Collection[int]:
        """What a field holds in some frame; nothing if there is no such field or too much in it."""
        place = self._outermost(header, field)
        if place is None:
            return ()
        own = self._changes.get(place)
        if own is None:
            return (place.of(self._template.frame),)
        return [own.whole(number) for number in possible(own.source, MOST_ADDRESSES)]

    def _outermost(self, header: str, field: str) -> Place | None:
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
    """All that its random bits can be, by counting in the mask."""
    part = 0
    while True:
        yield source.base & ~source.mask | part
        part = (part - source.mask) & source.mask
        if not part:
            return


_POSSIBLE: dict[type, Callable[..., tuple[int, Iterable[int]]]] = {
    Step: lambda own: (own.count, map(own.value, range(own.count))),
    Values: lambda own: (len(own.values), own.values),
    RandomBits: lambda own: (1 << own.mask.bit_count(), _of_mask(own)),
    RandomRange: lambda own: (own.count, range(own.first, own.first + own.count)),
    Distribution: lambda own: (len(own.values), own.values),
}


def _is_asked_for(address: Address, port: Port) -> bool:
    if address.is_multicast or address.is_unspecified or address == IPv4Address("255.255.255.255"):
        return False
    return port.address is None or address in port.address.network
