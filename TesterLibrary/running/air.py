# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The air: streams that are loaded, their ids and watchers, and traces of earlier ones in the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..measurement.trial import Trial
from ..model.membership import Membership
from ..model.ports import Address
from ..model.stream import Stream
from .stream_ids import StreamIds

_LONGEST_NS = 120 * 10**9  # for which a network may keep a frame (RFC 9293 §3.4.3, maximum segment lifetime)


class LoadedStreams(Protocol):
    """Streams that are loaded as one job."""

    @property
    def streams(self) -> Sequence[Stream]:
        """As they leave now."""
        ...

    @property
    def is_started(self) -> bool:
        """Whether they are not only loaded."""
        ...

    @property
    def unending(self) -> Sequence[Stream]:
        """Those of them that leave until they are stopped."""
        ...

    @property
    def ids(self) -> Sequence[int]:
        """Their ids, one after the other."""
        ...

    def __contains__(self, stream: str) -> bool:
        """Whether one of them has that name."""
        ...

    def update(self, stream: Stream) -> None:
        """Changes how one of them leaves."""
        ...


class UndeliveredFrames:
    """Frames without signature that may still arrive at a port, where a later trial would count them.

    Times are those of the tester.
    """

    def __init__(self) -> None:
        self._missing: dict[str, tuple[int, int]] = {}  # frames, and when the last of them left

    def at(self, port: str, now_ns: int) -> int:
        """Frames that may arrive at a port from now on."""
        frames, last_ns = self._missing.get(port, (0, 0))
        return frames if now_ns - last_ns < _LONGEST_NS else 0

    def note(self, port: str, *, began_ns: int, last_ns: int, sent: int, received: int) -> None:
        """Notes the frames of a trial that left for the port, and those that arrived there.

        What arrived may have been of the trials before it, so what is missing adds up.
        """
        before = self.at(port, began_ns)
        missing = max(0, before + sent - received)
        _, earlier_ns = self._missing.get(port, (0, 0))
        self._missing[port] = missing, max(last_ns, earlier_ns if before else 0)


class Air:
    """The streams and memberships of one tester that others have to know of."""

    def __init__(self) -> None:
        self.runs: list[LoadedStreams] = []  # not yet sending, sending, or done
        self.watchers: dict[str, list[Callable[[Trial], None]]] = {}  # by stream
        self.undelivered = UndeliveredFrames()
        self.joined: set[Membership] = set()  # groups that its ports have reported, and not left
        self.asked: set[Address] = set()  # probed addresses for which the device may ask
        self.ids = StreamIds()

    @property
    def unending(self) -> list[Stream]:
        """The streams that leave until they are stopped."""
        return [stream for run in self.runs for stream in run.unending]

    def take_ids(self, count: int) -> int:
        """The first of new ids in a row, which no loaded job has and no recent job had. PlanError."""
        taken = [range(ids[0], ids[-1] + 1) for run in self.runs if (ids := run.ids)]
        return self.ids.take(count, taken)

    def id_of(self, stream: str) -> int | None:
        """The id of a loaded stream; None if it is not loaded."""
        ids = (zip(run.streams, run.ids, strict=True) for run in self.runs if stream in run)
        return next((number for pairs in ids for loaded, number in pairs if loaded.name == stream), None)
