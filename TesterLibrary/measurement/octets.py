# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes received against bytes due: whether whole frames arrived, or others."""

from __future__ import annotations

from dataclasses import dataclass

from .snapshot import StreamCounters

_TAG_BYTES = 4
_MOST_TAG_BYTES = 8  # most bytes that a device adds or removes by tags


@dataclass(frozen=True)
class OctetBalance:
    """Bytes of the received frames of a stream, FCS included."""

    stream: str
    frames: int
    received: int  # bytes
    due: int | None  # None where frames of several sizes were lost, and nobody knows which
    lengths_checked: bool  # the tester has looked at the length of each frame

    @classmethod
    def of(cls, stream: str, frame_size: int, counted: StreamCounters) -> OctetBalance:
        """The balance from the counters of a stream whose frames have this size, or this size on average."""
        due = None
        if counted.tx_bytes == counted.tx_packets * frame_size:
            due = counted.rx_packets * frame_size
        elif counted.tx_packets == counted.rx_packets and not counted.order.duplicated:
            due = counted.tx_bytes
        checked = counted.rx_wrong_length is not None
        return cls(stream, counted.rx_packets, counted.rx_bytes, due, checked)

    @property
    def text(self) -> str:
        """The difference, as people read it; empty if there is none."""
        if self.due is None or not self.frames or self.received == self.due:
            return ""
        missing = abs(self.received - self.due)
        more = "longer" if self.received > self.due else "shorter"
        if missing % self.frames == 0:
            return (
                f"frames of {self.stream} arrived {missing // self.frames:,} bytes {more} than they were sent"
            )
        text = f"frames of {self.stream} arrived {missing:,} bytes {more} in all than they were sent"
        if missing % _TAG_BYTES == 0 and missing < self.frames * _TAG_BYTES:
            text += f": {missing // _TAG_BYTES:,} of {self.frames:,}, if each of them by a tag"
        return text

    @property
    def objection(self) -> str:
        """Why frames may not be what was sent; empty where lengths were checked or differ by tags."""
        if self.lengths_checked or self.due is None or not self.frames:
            return ""
        if abs(self.received - self.due) <= self.frames * _MOST_TAG_BYTES:
            return ""
        return (
            f"{self.received:,} bytes of {self.stream} arrived where {self.due:,} were due, and this tester "
            "does not check the length of frames"
        )
