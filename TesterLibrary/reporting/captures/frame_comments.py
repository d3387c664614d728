# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Comments of a capture file on each frame: its stream, its number in the stream, and its direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...measurement.capture import CapturedFrame
from ...measurement.captured_frames import WORD, CapturedFrames

if TYPE_CHECKING:
    import numpy as np

_POWERS = tuple(10**digits for digits in range(1, 19))  # the least numbers with more digits than one


@dataclass(frozen=True, eq=False)
class Comments:
    """A text for each of some frames."""

    lengths: np.ndarray[Any, Any]  # bytes of each
    words: np.ndarray[Any, Any]  # theirs, four in each, filled up with zeros; one text behind the other

    @classmethod
    def of(cls, texts: Iterable[str]) -> Comments:
        """Texts that are there already."""
        import numpy as np

        encoded = [text.encode() for text in texts]
        padded = b"".join(each + bytes(-len(each) % WORD) for each in encoded)
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        return cls(lengths, np.frombuffer(padded, "<u4"))

    @property
    def word_lengths(self) -> np.ndarray[Any, Any]:
        """How many words each has."""
        lengths: np.ndarray[Any, Any] = -(-self.lengths // WORD)
        return lengths


def stream_comments(frames: CapturedFrames, streams: Mapping[int, str]) -> Comments:
    """Stream, number and direction of each frame, as `frame_comment` says it. `streams` are names by id.

    Texts that differ only in their numbers, and have as many digits, are written together.
    """
    import numpy as np

    facts = frames.facts
    digits = np.where(facts["sequence"] < 0, 0, np.searchsorted(_POWERS, facts["sequence"], "right") + 1)
    digits[facts["stream"] == 0] = 0
    keys = facts["stream"].astype(np.int64) << 7 | facts["fires"].astype(np.int64) << 6
    keys |= facts["transmitted"].astype(np.int64) << 5 | digits
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order], prepend=-1))
    lengths = np.zeros(len(frames), np.int64)
    made = []
    for rows in np.split(order, same[1:]) if len(order) else ():
        stream, width = int(facts["stream"][rows[0]]), int(digits[rows[0]])
        sent, fires = bool(facts["transmitted"][rows[0]]), bool(facts["fires"][rows[0]])
        before, behind = _said(stream, width > 0, streams, transmitted=sent, fires=fires)
        text = f"{before}{'0' * width}{behind}".encode()
        octets = np.zeros((len(rows), -(-len(text) // WORD) * WORD), np.uint8)
        octets[:, : len(text)] = np.frombuffer(text, np.uint8)
        number, begin = facts["sequence"][rows], len(before.encode())
        for place in range(begin + width - 1, begin - 1, -1):
            octets[:, place] += (number % 10).astype(np.uint8)
            number = number // 10
        lengths[rows] = len(text)
        made.append((rows, octets.view("<u4")))
    comments = Comments(lengths, np.zeros(int((-(-lengths // WORD)).sum()), "<u4"))
    begins = np.cumsum(comments.word_lengths) - comments.word_lengths
    for rows, words in made:
        comments.words[begins[rows][:, None] + np.arange(words.shape[1])] = words
    return comments


def frame_comment(frame: CapturedFrame, streams: Mapping[int, str]) -> str:
    """The stream of a frame, its number and its direction. `streams` are names by id."""
    numbered = frame.stream_id > 0 and frame.sequence is not None
    before, behind = _said(
        frame.stream_id, numbered, streams, transmitted=frame.transmitted, fires=frame.fires
    )
    return f"{before}{frame.sequence if numbered else ''}{behind}"


def _said(
    stream: int, numbered: bool, streams: Mapping[int, str], *, transmitted: bool, fires: bool
) -> tuple[str, str]:
    """The text before the number of a frame, and the text behind it."""
    of = f"stream {stream} ({streams.get(stream, '?')})" if stream else "no stream"
    behind = f", {'transmitted' if transmitted else 'received'}{', TRIGGER' if fires else ''}"
    return f"{of}, sequence " if numbered else of, behind
