# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The stream of a copied frame, and its number there, by its signature (p4/controls/classifier.p4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....planning.switch.frame import SIGNATURE_LENGTH, FrameFields
from ....planning.switch.parts import whole
from ....protocols.frame import checksum
from ..driver.job import SwitchJob
from ..entries.signature import signatures
from .copy_record import OF_TEMPLATE, TRANSMITTED, CopyRecord

_ICMP, _ICMPV6 = 1, 58
_ERRORS = frozenset((3, 4, 5, 11, 12))  # of ICMP; destination unreachable to parameter problem (RFC 792)
_INFORMATIONAL = 128  # of ICMPv6; types from here on are no errors (RFC 4443 §2.1)
_HEADER_LENGTH = 8

_SHORTEST = 14 + 20 + 8 + SIGNATURE_LENGTH  # behind Ethernet, IPv4 and UDP; what leaves is not filled up yet


@dataclass(frozen=True)
class _Known:
    """A stream, as far as frames are known by it."""

    id: int
    numbered: bool  # the numbers of its signatures are those of its frames
    sends_icmp_errors: bool = False  # otherwise an ICMP error with its signature only quotes it


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
                errors = is_icmp_error(stream.planned.frame)
                known[stream.template] = _Known(id_, len(job.parts(id_)) == 1, errors)
                places.add(stream.planned.header_size)
            self._signed |= {key: known[template] for key, template in signatures(job.entries)}
        self._places = tuple(sorted(places - {0}))

    def of(self, record: CopyRecord) -> tuple[int, int | None]:
        """The id of a frame's stream, 0 if it is of none, and its number there, None if nobody knows it."""
        known, sequence = self._signature(record.frame)
        if known is not None and not known.sends_icmp_errors and is_icmp_error(record.frame):
            return 0, None
        if known is not None:
            return known.id, sequence if known.numbered else None
        if record.heading == TRANSMITTED and record.event & OF_TEMPLATE:
            return self._templates.get(record.event - OF_TEMPLATE, 0), None
        return 0, None

    def _signature(self, frame: bytes) -> tuple[_Known | None, int]:
        behind_transport = FrameFields.of(frame).signature if len(frame) >= _SHORTEST else None
        for place in (behind_transport, *self._places):
            octets = frame[place or 0 :][:SIGNATURE_LENGTH]
            if place and len(octets) == SIGNATURE_LENGTH:
                known = self._signed.get((int.from_bytes(octets[:2], "big"), checksum(octets)))
                if known is not None:
                    return known, int.from_bytes(octets[4:8], "big")
        return None, 0


def is_icmp_error(frame: bytes) -> bool:
    """Whether a frame is an ICMP error, of either IP version."""
    fields = FrameFields.of(frame)
    if fields.ip is None or fields.protocol not in (_ICMP, _ICMPV6):
        return False
    length = 40 if fields.version == 6 else 4 * (frame[fields.ip] & 0xF)
    message = frame[fields.ip + length :]
    if len(message) < _HEADER_LENGTH:
        return False
    if fields.version == 6:
        return fields.protocol == _ICMPV6 and message[0] < _INFORMATIONAL
    later_fragment = int.from_bytes(frame[fields.ip + 6 : fields.ip + 8], "big") & 0x1FFF
    return fields.protocol == _ICMP and not later_fragment and message[0] in _ERRORS
