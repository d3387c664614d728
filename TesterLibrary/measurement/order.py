# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The order in which a stream's frames arrived, from their sequence numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from .counter import total

# The possible fates of a frame besides its arrival, and the words for them.
_FATES = {
    "lost": "lost",
    "duplicated": "duplicated",
    "duplicated_elsewhere": "duplicated at other ports",
    "reordered": "reordered",
    "late": "late",
    "corrupted": "corrupted",
    "wrong_length": "with another length",
    "fragments": "in pieces",
    "wrong_headers": "with wrong headers",
    "misrouted": "misrouted",
}
# Parts of headers, by the names that the tester gives them. A device that routes changes one of _HOP,
# one that translates _TRANSLATION. The checksums and ports beside these follow from that.
_HOP = frozenset({"MAC addresses", "TTL or hop limit"})
_ROUTED = _HOP | {"VLAN tag", "IPv4 checksum"}
_TRANSLATION = frozenset({"IP addresses"})
_TRANSLATED = _ROUTED | _TRANSLATION | {"UDP ports", "UDP checksum", "TCP header", "TCP checksum"}


@dataclass(frozen=True)
class Order:
    """Frames of one or more streams. Each that arrived as it was sent is counted in `received`.

    A count that the tester does not have is None, and so is one that would need it.
    """

    sent: int | None = 0  # None: it is not known which of the frames received are of the stream
    received: int = 0  # on the port where they were expected
    duplicated: int | None = 0  # arrivals of a frame after its first one
    reordered: int | None = 0  # arrived after a frame that was sent later (RFC 4737 §3)
    extent: int | None = 0  # of the worst one: arrivals since the first frame that was sent later (§4.2)
    late: int | None = 0  # so late that it is no longer known whether they had arrived before
    corrupted: int | None = 0  # arrived with another content, so they count as lost; not in `received`
    misrouted: int | None = 0  # arrived on another port of the tester; not in `received`
    behind: int | None = 0  # arrivals below the highest sequence number seen, for the first time or again
    wrong_length: int | None = 0  # shorter, longer, or several in one frame; counted as `corrupted` is
    fragments: int | None = 0  # pieces of IP packets that were sent whole; counted as `corrupted` is
    wrong_headers: int | None = 0  # with headers that the device must not make so; counted as `corrupted` is
    wrong_header_parts: tuple[str, ...] = ()  # what was wrong in these
    incomplete: int | None = 0  # broadcast: frames that did not arrive at each of their ports, the fewest
    most_incomplete: int | None = 0  # the most
    duplicated_elsewhere: int | None = 0  # broadcast: arrivals after the first one at each of its other ports

    @classmethod
    def merged(cls, parts: Iterable[Order]) -> Order:
        """Several streams as if they were one; the extent is the worst of them. None if one of them is."""
        each = list(parts)
        names = (n for n in cls.__dataclass_fields__ if n not in ("extent", "wrong_header_parts"))
        sums = {name: total(getattr(part, name) for part in each) for name in names}
        extents = [part.extent for part in each]
        worst = max((extent for extent in extents if extent is not None), default=0)
        wrong = tuple(dict.fromkeys(name for part in each for name in part.wrong_header_parts))
        return cls(
            **sums,  # type: ignore[arg-type]
            extent=None if None in extents else worst,
            wrong_header_parts=wrong,
        )

    @property
    def copies(self) -> tuple[int, int]:
        """The fewest and the most arrivals of frames that had arrived before.

        They differ where the tester cannot tell copies from frames that were overtaken, or came so late that
        nobody remembers.
        """
        least = self.duplicated or 0
        if self.duplicated is not None and self.late is not None:
            return least, least + self.late
        return least, self.received if self.behind is None else max(least, self.behind)

    @property
    def lost(self) -> int | None:
        """Frames that never arrived where they were expected; None where copies may hide some."""
        bounds = self.loss_bounds
        return bounds[0] if bounds and bounds[0] == bounds[1] else None

    @property
    def loss_bounds(self) -> tuple[int, int] | None:
        """The fewest and the most frames that were lost; None where nobody knows. They differ as `copies`."""
        if self.sent is None:
            return None
        least, most = (max(0, self.sent - (self.received - copies)) for copies in self.copies)
        least = max(least, self.incomplete or 0)
        unknown = self.most_incomplete is None
        return least, self.sent if unknown else min(self.sent, most + (self.most_incomplete or 0))

    @property
    def first_arrivals(self) -> int:
        """Frames received, each once; the fewest that the counts allow, where copies are not known."""
        return self.received - min(self.received, self.copies[1])

    @property
    def most_first_arrivals(self) -> int:
        """Frames received, each once; the most that the counts allow, where copies are not known."""
        return self.received - min(self.received, self.copies[0])

    @property
    def changed_or_elsewhere(self) -> tuple[int | None, ...]:
        """Frames that arrived changed, in each way, and those at other ports; None where not counted."""
        return self.corrupted, self.wrong_length, self.fragments, self.wrong_headers, self.misrouted

    @property
    def damage(self) -> str:
        """Frames that arrived changed, as text for people; empty if none did."""
        parts = f" ({', '.join(self.wrong_header_parts)}{self._rewritten})" if self.wrong_header_parts else ""
        ways = {
            "with another content": self.corrupted,
            "with another length": self.wrong_length,
            "in pieces (IP fragments)": self.fragments,
            f"with headers that are not those that were sent{parts}": self.wrong_headers,
        }
        return "; ".join(f"{frames:,} arrived {way}" for way, frames in ways.items() if frames)

    @property
    def _rewritten(self) -> str:
        """A question about the testbed, where all that was wrong is what routers or translators rewrite."""
        wrong = frozenset(self.wrong_header_parts)
        if wrong & _HOP and wrong <= _ROUTED:
            return "; a router changes these: has the testbed layer: 3?"
        if wrong & _TRANSLATION and wrong <= _TRANSLATED:
            return "; NAT changes these: has the testbed forwarding: translated?"
        return ""

    @property
    def ratio(self) -> Fraction | None:
        """Reordered / received, exact; 0 if nothing was received, None where it is not known exactly."""
        bounds = self.ratio_bounds
        return bounds[0] if bounds and bounds[0] == bounds[1] else None

    @property
    def ratio_bounds(self) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest part that was reordered of the frames received (RFC 4737 §3.4).

        Copies are frames received only once (§2). A frame that is late may be a copy.
        """
        if self.reordered is None:
            return None
        few, many = self.copies
        sure = max(0, self.reordered - (many - few if self.late is None else self.late))
        least, most = self.received - few, max(1, self.received - many, self.reordered)
        return Fraction(sure, max(1, least)), Fraction(self.reordered, most)

    @property
    def kept(self) -> bool | None:
        """Whether each frame arrived once, unharmed, in its place; None where that was not counted."""
        counts = [getattr(self, name) for name in _FATES]
        if any(counts):
            return False
        return None if None in counts else True

    def _loss_text(self) -> str:
        """The bounds of a loss that is not counted exactly; empty if it is, or nothing is known."""
        if self.lost is not None or not self.loss_bounds:
            return ""
        if self.late:
            return "{:,} to {:,} lost".format(*self.loss_bounds)
        least = self.loss_bounds[0]  # fewer than were received: this many are sure
        return f"at least {least:,} lost" if least else ""

    def __str__(self) -> str:
        counts = {words: getattr(self, name) for name, words in _FATES.items()}
        found = [f"{value:,} {words}" for words, value in counts.items() if value]
        if text := self._loss_text():
            counts["lost"] = 0  # a number between bounds is measured, so it is not absent
            found.insert(0, text)
        if self.duplicated is None and self.sent is not None and self.received > self.sent:
            counts["duplicated"] = 0
            found.append(f"at least {self.received - self.sent:,} received again")
        absent = [words for words, value in counts.items() if value is None]
        text = ", ".join(found) or ("nothing found" if absent else "all in order")
        text += f" of {self.sent:,} frames" if self.sent is not None else f" of {self.received:,} received"
        if self.reordered and self.extent is not None:
            text += f", the worst overtaken by {self.extent:,}"
        return f"{text}; not measured: {', '.join(absent)}" if absent else text


# The order of frames that no valid trial has sent.
UNKNOWN = Order(
    sent=None,
    duplicated=None,
    reordered=None,
    extent=None,
    late=None,
    corrupted=None,
    misrouted=None,
    behind=None,
    wrong_length=None,
    fragments=None,
    wrong_headers=None,
    incomplete=None,
    most_incomplete=None,
)
