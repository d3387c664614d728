# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of a capture as columns, as `capture.proto` has them: thousands at once, no object for each."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from .capture import CapturedFrame, Fate, TracedFrame

if TYPE_CHECKING:
    import numpy as np

WORD = 4  # bytes: octets of a frame are filled up with zeros to whole words
_MOST_EVENTS = 4
_UNKNOWN = -1  # sequence
_FATES = tuple(Fate)
_PACKED = struct.Struct("<qqqii4HHH?BH")
_FIELDS: list[Any] = [
    ("time", "<i8"),
    ("sequence", "<i8"),
    ("left", "<i8"),
    ("original", "<i4"),
    ("kept", "<i4"),
    ("events", "<u2", _MOST_EVENTS),
    ("stream", "<u2"),
    ("port", "<u2"),
    ("transmitted", "?"),
    ("fate", "u1"),
    ("fires", "<u2"),
]


@dataclass(frozen=True, eq=False)
class CapturedFrames:
    """Frames in their order."""

    ports: tuple[str, ...]
    facts: np.ndarray[Any, Any]  # a row for each, as `capture.proto` describes it; sequence -1: nobody knows
    words: np.ndarray[Any, Any]  # their octets, four in each, those of one frame behind those of another
    traced: bool = False

    @classmethod
    def unpacked(
        cls, ports: Sequence[str], facts: bytes, octets: bytes, *, traced: bool = False
    ) -> CapturedFrames:
        """The frames that a message has."""
        import numpy as np

        return cls(tuple(ports), np.frombuffer(facts, _FIELDS), np.frombuffer(octets, "<u4"), traced)

    @classmethod
    def of(cls, frames: Iterable[CapturedFrame]) -> CapturedFrames:
        """Some frames, all of a trace or none."""
        frames = tuple(frames)
        ports = {port: place for place, port in enumerate(dict.fromkeys(f.port for f in frames))}
        facts = b"".join([_packed(frame, ports[frame.port]) for frame in frames])
        octets = b"".join([frame.octets + bytes(-len(frame.octets) % WORD) for frame in frames])
        traced = any(frame.traced is not None for frame in frames)
        return cls.unpacked(tuple(ports), facts, octets, traced=traced)

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[CapturedFrame]:
        octets, at = self.words.tobytes(), 0
        names = [name for name, *_ in _FIELDS]
        for values in zip(*(self.facts[name].tolist() for name in names), strict=True):
            time, sequence, left, original, kept, events, stream, port, transmitted, fate, fires = values
            yield CapturedFrame(
                time_ns=time,
                port=self.ports[port],
                transmitted=transmitted,
                stream_id=stream,
                sequence=None if sequence == _UNKNOWN else sequence,
                original_length=original,
                octets=octets[at : at + kept],
                fires=bool(fires),
                traced=TracedFrame(left or None, tuple(e - 1 for e in events if e), _FATES[fate])
                if self.traced
                else None,
            )
            at += -(-kept // WORD) * WORD

    @property
    def lengths(self) -> np.ndarray[Any, Any]:
        """How many words each frame has."""
        lengths: np.ndarray[Any, Any] = -(-self.facts["kept"].astype("<i8") // WORD)
        return lengths

    @property
    def of_port(self) -> list[int]:
        """How many frames each port has."""
        import numpy as np

        numbers: list[int] = np.bincount(self.facts["port"], minlength=len(self.ports)).tolist()
        return numbers

    def part(self, rows: np.ndarray[Any, Any]) -> CapturedFrames:
        """Those of a boolean array."""
        import numpy as np

        return replace(self, facts=self.facts[rows], words=self.words[np.repeat(rows, self.lengths)])

    def of_streams(self, ids: Sequence[int]) -> CapturedFrames:
        """Those of some streams."""
        import numpy as np

        return self.part(np.isin(self.facts["stream"], ids))

    def cut(self, octets: int) -> CapturedFrames:
        """The same with the first octets of each, a multiple of four."""
        import numpy as np

        if not (self.facts["kept"] > octets).any():
            return self
        lengths = self.lengths
        short = np.minimum(lengths, octets // WORD)
        words = self.words[places(np.cumsum(lengths) - lengths, short)]
        facts = self.facts.copy()
        facts["kept"] = np.minimum(facts["kept"], octets)
        return replace(self, facts=facts, words=words)


def frames_of(parts: Iterable[CapturedFrames]) -> Iterator[CapturedFrame]:
    """Each frame as an object."""
    return chain.from_iterable(parts)


def places(begins: np.ndarray[Any, Any], lengths: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The places begin, begin + 1, … of each of several stretches, one stretch behind the other."""
    import numpy as np

    return np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())


def _packed(frame: CapturedFrame, port: int) -> bytes:
    traced = frame.traced or TracedFrame(None)
    events = [event + 1 for event in traced.events[:_MOST_EVENTS]]
    return _PACKED.pack(
        frame.time_ns,
        _UNKNOWN if frame.sequence is None else frame.sequence,
        traced.left_ns or 0,
        frame.original_length,
        len(frame.octets),
        *events,
        *[0] * (_MOST_EVENTS - len(events)),
        frame.stream_id,
        port,
        frame.transmitted,
        _FATES.index(traced.fate),
        frame.fires,
    )
