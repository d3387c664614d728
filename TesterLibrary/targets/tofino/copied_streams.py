# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The stream of a copied frame, and its number there, by its signature (p4/controls/classifier.p4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...planning.switch.sizes import whole
from ...protocols.frame import checksum
from .copy_record import OF_TEMPLATE, TRANSMITTED, CopyRecord
from .job import SwitchJob
from .signature import signatures

_ETHERNET, _TAG, _IPV4_LENGTH, _IPV6_LENGTH, _UDP_LENGTH, _SIGNATURE = 14, 4, 20, 40, 8, 16
_IPV4, _VLAN, _IPV6 = b"\x08\x00", b"\x81\x00", b"\x86\xdd"
_UDP = 17
_SHORTEST = _ETHERNET + _IPV4_LENGTH + _UDP_LENGTH + _SIGNATURE  # what leaves is not filled up yet


@dataclass(frozen=True)
class _Known:
    """A stream, as far as frames are known by it."""

    id: int
    numbered: bool  # the numbers of its signatures are those of its frames


class CopiedStreams:
    """The streams that are loaded, and those that were."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # by id, of those that are loaded
        self._signed: dict[tuple[int, int], _Known] = {}  # by the signature's id and sum
        self._places: tuple[int, ...] = ()  # of signatures in frames as they leave
        self._templates: dict[int, int] = {}  # ids, of those that are loaded

    def follow(self, jobs: Iterable[SwitchJob]) -> None:
        """Knows the streams of these jobs. Frames of others on their way are known by their signatures."""
        self.names, self._templates, places = {}, {}, set(self._places)
        for job in jobs:
            known: dict[int, _Known] = {}  # by template
            for number, stream in job.streams.items():
                id_ = whole(number)
                self.names[id_] = stream.planned.name
                self._templates[stream.template] = id_
                known[stream.template] = _Known(id_, len(job.parts(id_)) == 1)
                places.add(stream.planned.header_size)
            self._signed |= {key: known[template] for key, template in signatures(job.entries)}
        self._places = tuple(sorted(places - {0}))

    def of(self, record: CopyRecord) -> tuple[int, int | None]:
        """The id of a frame's stream, 0 if it is of none, and its number there, None if nobody knows it."""
        known, sequence = self._signature(record.frame)
        if known is not None:
            return known.id, sequence if known.numbered else None
        if record.heading == TRANSMITTED and record.event & OF_TEMPLATE:
            return self._templates.get(record.event - OF_TEMPLATE, 0), None
        return 0, None

    def _signature(self, frame: bytes) -> tuple[_Known | None, int]:
        for place in (_place(frame), *self._places):
            octets = frame[place : place + _SIGNATURE]
            if place and len(octets) == _SIGNATURE:
                known = self._signed.get((int.from_bytes(octets[:2], "big"), checksum(octets)))
                if known is not None:
                    return known, int.from_bytes(octets[4:8], "big")
        return None, 0


def _place(frame: bytes) -> int:
    """Where a signature begins: behind UDP, in IPv4 without options or IPv6. 0: there is none."""
    if len(frame) < _SHORTEST:
        return 0
    at = _ETHERNET
    kind = frame[at - 2 : at]
    if kind == _VLAN:
        at += _TAG
        kind = frame[at - 2 : at]
    if kind == _IPV4 and frame[at] & 0xF == 5 and frame[at + 9] == _UDP:
        fragment = int.from_bytes(frame[at + 6 : at + 8], "big") & 0x1FFF
        at += _IPV4_LENGTH
    elif kind == _IPV6 and frame[at + 6] == _UDP:
        fragment = 0
        at += _IPV6_LENGTH
    else:
        return 0
    length = int.from_bytes(frame[at + 4 : at + 6], "big")
    return 0 if fragment or length < _UDP_LENGTH + _SIGNATURE else at + _UDP_LENGTH
