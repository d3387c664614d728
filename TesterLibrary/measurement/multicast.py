# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Times at which a device began and ceased to forward a group, and frames at ports that did not join it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .stream_result import StreamResult
from .trial import Trial


@dataclass(frozen=True)
class Reported:
    """Reports of a host that joined or left groups, as they left the tester."""

    reports: int
    first_ns: int  # on the tester's clock
    last_ns: int
    objections: tuple[str, ...] = ()  # why the tester did not do its part


@dataclass(frozen=True)
class GroupCycle:
    """A port joined a group and left it again while frames of the group were sent. Times: the tester's clock.

    Frames are `gap_ns` apart, so that nobody knows an instant between two of them.
    """

    gap_ns: int  # between two frames of the group
    before: int  # frames that had arrived at the port before it joined
    joined_ns: int  # when the report left
    first_ns: int | None  # when the first frame arrived; None: none did
    watched_ns: int  # for how long after the report the first frame was waited for
    left_ns: int | None = None  # when the leave left; None: no frame had arrived, so nothing was left
    last_ns: int | None = None  # when the last frame arrived
    ended: bool = False  # no frame arrived any more
    silence_ns: int = 0  # for how long none had to arrive until that was believed
    objections: tuple[str, ...] = ()  # why the tester did not do its part

    @property
    def is_early(self) -> bool:
        """Whether frames of the group arrived before the port had joined it."""
        return self.before > 0 or (self.first_ns is not None and self.first_ns < self.joined_ns)

    @property
    def join_ns(self) -> tuple[int, int] | None:
        """The group join delay, at least and at most; None where no frame arrived.

        The device forwarded the first frame that arrived, and did not forward the one before it.
        """
        if self.first_ns is None:
            return None
        most = max(0, self.first_ns - self.joined_ns)
        return max(0, most - self.gap_ns), most

    @property
    def leave_ns(self) -> tuple[int, int | None] | None:
        """The group leave delay, at least and at most; no most where frames arrived until the end.

        The device forwarded the last frame that arrived, and did not forward the next one.
        """
        if self.left_ns is None or self.last_ns is None:
            return None
        least = max(0, self.last_ns - self.left_ns)
        return least, max(0, self.last_ns + self.gap_ns - self.left_ns) if self.ended else None


@dataclass(frozen=True)
class Leak:
    """Frames at ports where they are not expected."""

    ports: tuple[str, ...]  # as far as the tester names them
    frames: int | None  # at least so many; None: not counted
    unclear: int = 0  # others that are leaked or duplicates at members, which are counted together

    @classmethod
    def of(cls, trials: Iterable[Trial]) -> Leak:
        """All of these trials together."""
        each = [(stream, _unexpected(stream)) for trial in trials for stream in trial.streams]
        ports = sorted({port for _, found in each for port in found})
        counts = [stream.broadcast.misrouted for stream, _ in each]
        unclear = sum(
            stream.broadcast.misrouted or 0
            for stream, found in each
            if not found and not stream.broadcast.are_apart
        )
        known = [count for count in counts if count is not None]
        # Copies that are missing elsewhere may stand for frames at these ports.
        least = sum(known) - unclear or len(ports)
        return cls(tuple(ports), None if len(known) < len(counts) and not least else least, unclear)

    @property
    def doubt(self) -> str:
        """Why frames may have been leaked, though none was for certain; empty if they were not."""
        if not self.unclear:
            return ""
        return (
            f"{self.unclear:,} more frames arrived than members are to get, and the tester counts the other "
            "ports together: they are duplicates at members, or at ports that are none"
        )


def _unexpected(stream: StreamResult) -> set[str]:
    return set(stream.counters.rx_misrouted_ports) - {stream.rx_port, *stream.copies}
