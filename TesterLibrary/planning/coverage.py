# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the checksums that cover a field, and how often: Scapy builds the frame again with the field changed.

So pseudo headers, tunnels and headers of any depth need no table here. A field is refused if a value depends
on it that a tester cannot update: a length, a CRC that it does not know, or a checksum over such a CRC.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PlanError
from ..model.plan.edit import Checksum, ChecksumKind, Coverage
from ..wire.header_values import numeric_width
from .template import FramePlace, FrameTemplate

_MOST_CHECKSUMS = 7  # one more is left for the version bit
_HEAVIEST = 8  # how often a checksum covers a field at most: each tunnel adds two checksums or fewer
_MODULUS = 0xFFFF  # modulus of one's-complement sums of 16 bits


class Checksums:
    """The checksums of a stream that its editors change; it grows with each field that is examined."""

    def __init__(self, template: FrameTemplate, values: Mapping[FramePlace, int]) -> None:
        """`values`: the values of the edited fields in frame 0."""
        self._template = template
        self._values = dict(values)
        self._frame = template.built(values)
        self._names = template.names(template.frame)  # headers of the author's frame
        self._known = [place for place in template.places if place.automatic and place.bits in (16, 32)]
        self.found: list[Checksum] = []

    def coverage(self, place: FramePlace, changing: int) -> tuple[Coverage, ...]:
        """The checksums that cover a field some bits of which change.

        Raises:
            PlanError: something else changes with it that a tester cannot keep right.
        """
        bit = changing & -changing or 1  # 1 if no bit of the field changes
        before = self._values.get(place, place.of(self._frame))
        # The first value need not be the author's.
        if not (self._keeps_headers(place, before) and self._keeps_headers(place, before ^ bit)):
            raise PlanError(
                "it tells which headers follow or how long they are, so it cannot change; give it in the "
                f"headers{self._instead(place)}"
            )
        probed = self._template.built({**self._values, place: before ^ bit})
        added = (before ^ bit) - before
        return tuple(
            self._covering(place, known, added, known.of(probed) - known.of(self._frame))
            for known in self._changed(place, probed)
        )

    def _keeps_headers(self, place: FramePlace, number: int) -> bool:
        """Whether a frame with this number in a field has the headers of the author's, and their lengths."""
        frame = self._template.built({place: number})
        return len(frame) == len(self._template.frame) and self._template.names(frame) == self._names

    def _instead(self, place: FramePlace) -> str:
        """The fields of the same header that may change, for a message."""
        own = [known for known in self._template.places if known.layer == place.layer and known != place]
        free = [
            known.path.field
            for known in own
            if numeric_width(known.field) == known.bits
            and not (known.automatic and known.of(self._template.frame))
            and self._keeps_headers(known, known.of(self._template.frame) ^ 1)
        ]
        return f", or change {' or '.join(free)}" if free else ""

    def _changed(self, place: FramePlace, probed: bytes) -> list[FramePlace]:
        """The checksums that differ. PlanError if anything else differs too."""
        whole = 8 * len(probed)
        rest = int.from_bytes(probed, "big") ^ int.from_bytes(self._frame, "big")
        changed = [
            known for known in self._known if known != place and known.of(probed) != known.of(self._frame)
        ]
        for explained in (place, *changed):
            rest &= ~((1 << explained.bits) - 1 << whole - explained.bit_offset - explained.bits)
        if rest:
            byte = (whole - rest.bit_length()) // 8
            raise PlanError(
                f"byte {byte} of the frame follows from it (as RoCEv2's ICRC does); it is no checksum that a "
                "tester can keep right"
            )
        return changed

    def _covering(self, place: FramePlace, known: FramePlace, added: int, difference: int) -> Coverage:
        """A checksum's index and weight, where `added` to the field changes the checksum by `difference`."""
        if known.bits == 32 and known.path.header == "SCTP":
            tail = len(self._template.trailer)
            kind, offset = ChecksumKind.CRC32C, known.bit_offset // 8
            return Coverage(self._index(Checksum(kind, offset, begin=offset - 8, tail=tail)), 0)
        shift = (known.bit_offset - place.bit_offset - place.bits) % 16
        for weight in sorted(range(-_HEAVIEST, _HEAVIEST + 1), key=abs):
            if known.bits == 16 and (weight * (added << shift) + difference) % _MODULUS == 0:
                not_zero = known.path.header == "UDP"
                kind = ChecksumKind.INTERNET_NOT_ZERO if not_zero else ChecksumKind.INTERNET
                return Coverage(self._index(Checksum(kind, known.bit_offset // 8)), weight)
        raise PlanError(
            f"{known.path} follows from it in a way that a tester cannot keep right (it covers a CRC?); "
            f"give it in the headers, such as {known.path.header}({known.path.field}=0)"
        )

    def _index(self, checksum: Checksum) -> int:
        if checksum not in self.found:
            self.found.append(checksum)
            if len(self.found) > _MOST_CHECKSUMS:
                raise PlanError(f"more than {_MOST_CHECKSUMS} checksums follow the edited fields")
        return self.found.index(checksum)
