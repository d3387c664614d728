# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames as columns of numbers, and which of their rows belong to which trial."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...measurement.capture import Fate
from ...measurement.captured_frames import WORD, CapturedFrames
from ...measurement.traces.trace import TracedPacket
from ...model.heading import Heading
from ...model.units.units import FCS_LENGTH
from ..record.trial_part import TrialPart

if TYPE_CHECKING:
    import numpy as np

LOST = "lost"  # the event of a frame that left and never arrived
DIRECTIONS = ("transmitted", "received", "forward", "backward")
_SIGNATURE = 16  # bytes: id, number and time at the end of a frame (`plan.proto`, SIGNATURE)
_CLOCK = 1 << 48  # the time in a signature is modulo this


class Codes(dict[str, int]):
    """A number for each text, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        code = self[text] = len(self)
        return code


@dataclass(frozen=True)
class Columns:
    """Values of rows. -1 is none, in a column that may have none."""

    stream: np.ndarray[Any, Any]  # id
    sequence: np.ndarray[Any, Any]
    direction: np.ndarray[Any, Any]  # its place in DIRECTIONS
    port: np.ndarray[Any, Any]  # its place in the names
    size: np.ndarray[Any, Any]
    sent: np.ndarray[Any, Any]
    received: np.ndarray[Any, Any]
    event: np.ndarray[Any, Any]  # its place in the names
    attempt: np.ndarray[Any, Any]

    @property
    def all(self) -> tuple[np.ndarray[Any, Any], ...]:
        """All columns, in this order."""
        return tuple(vars(self).values())

    def part(self, rows: slice | np.ndarray[Any, Any]) -> Columns:
        """Some of the rows."""
        return Columns(*(column[rows] for column in self.all))


def of_frames(frames: CapturedFrames, ports: Codes) -> Columns:
    """Frames of a capture; new ports are added to `ports`."""
    import numpy as np

    facts = frames.facts
    seen = zip(frames.ports, frames.of_port, strict=True)
    codes = np.array([ports[name] if number else 0 for name, number in seen], np.uint8)
    times, left = facts["time"], facts["transmitted"]
    return Columns(
        stream=facts["stream"],
        sequence=facts["sequence"],
        direction=(~left).astype(np.int8),
        port=codes[facts["port"]],
        size=facts["original"] + np.int32(FCS_LENGTH),
        sent=np.where(left, times, _departures(frames)),
        received=np.where(left, -1, times),
        event=np.full(len(facts), -1, np.int32),
        attempt=np.full(len(facts), -1, np.int32),
    )


def of_packets(
    packets: Sequence[TracedPacket], arriving: Mapping[Heading, str], ports: Codes, events: Codes
) -> Columns:
    """Packets of a path; `arriving` says where those of each direction arrive."""
    import numpy as np

    number = len(packets)

    def column(value: Callable[[TracedPacket], int | None], kind: type) -> np.ndarray[Any, Any]:
        values = map(value, packets)
        return np.fromiter((-1 if v is None else v for v in values), kind, number)

    said = map(_happened, packets)
    return Columns(
        stream=np.zeros(number, np.uint16),
        sequence=column(lambda p: p.number, np.int64),
        direction=column(lambda p: DIRECTIONS.index(p.direction.name.lower()), np.int8),
        port=column(lambda p: ports[arriving[p.direction]], np.uint8),
        size=column(lambda p: p.length, np.int32),
        sent=column(lambda p: p.left_ns, np.int64),
        received=column(lambda p: p.arrived_ns, np.int64),
        event=np.fromiter((events[text] if text else -1 for text in said), np.int32, number),
        attempt=np.full(number, -1, np.int32),
    )


def _departures(frames: CapturedFrames) -> np.ndarray[Any, Any]:
    """When frames left, by their signatures; -1 where a frame was cut short or ends with something else."""
    import numpy as np

    facts = frames.facts
    sequences, streams, times, kept = facts["sequence"], facts["stream"], facts["time"], facts["kept"]
    departures = np.full(len(facts), -1, np.int64)
    is_signed = (kept == facts["original"]) & (kept >= _SIGNATURE) & (streams > 0) & (sequences >= 0)
    rows = np.flatnonzero(is_signed)
    ends = WORD * (np.cumsum(frames.lengths) - frames.lengths)[rows] + kept[rows]
    octets = frames.words.view(np.uint8)
    words = octets[(ends - _SIGNATURE)[:, None] + np.arange(_SIGNATURE)].view(">u2").astype(np.int64)
    numbers = words[:, 1] << 32 | words[:, 2] << 16 | words[:, 3]
    stamps = words[:, 4] << 32 | words[:, 5] << 16 | words[:, 6]
    is_right = (words[:, 0] == streams[rows]) & (numbers == sequences[rows] % _CLOCK)
    departures[rows] = np.where(is_right, times[rows] - (times[rows] - stamps) % _CLOCK, -1)
    return departures


def _happened(packet: TracedPacket) -> str:
    fate = () if packet.fate in (Fate.NONE, Fate.UNTIMED) else (packet.fate.value,)
    return ", ".join((*packet.events, *fate))


def joined(parts: Sequence[Columns]) -> Columns:
    """The rows of all parts, one part behind the other."""
    import numpy as np

    return Columns(*(np.concatenate(columns) for columns in zip(*(part.all for part in parts), strict=True)))


def partitions(
    rows: Columns, trials: Mapping[TrialPart, Collection[int]]
) -> Iterator[tuple[TrialPart | None, Columns]]:
    """The rows of each trial, in their order, with a part of it; None with those of no trial."""
    import numpy as np

    departures = rows.direction == DIRECTIONS.index("transmitted")
    when = np.where(rows.sent < 0, rows.received, rows.sent)
    rest = np.ones(len(when), np.bool_)
    for parts in _by_trial(trials):
        found = np.zeros(len(when), np.bool_)
        for part in parts:
            is_of = (rows.stream == part.stream_id) & (when >= part.begin_ns) & (when <= part.end_ns) & rest
            rows.attempt[is_of] = part.attempt
            if trials[part]:
                rows.event[is_of & departures & np.isin(rows.sequence, list(trials[part]))] = 0
            found |= is_of
        rest &= ~found
        if found.all():
            yield parts[0], rows
        elif found.any():
            yield parts[0], rows.part(np.flatnonzero(found))
    if rest.any():
        yield None, rows.part(np.flatnonzero(rest))


def _by_trial(parts: Iterable[TrialPart]) -> Iterable[list[TrialPart]]:
    found: dict[int, list[TrialPart]] = {}
    for part in parts:
        found.setdefault(part.trial, []).append(part)
    return found.values()
