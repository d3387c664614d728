# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The copy of a packet as a switch sends it, behind `copy_h` of p4/include/headers.p4."""

from __future__ import annotations

import struct
from dataclasses import dataclass

KIND = 5  # kind_t.COPY
RECEIVED, TRANSMITTED = 0, 1  # headings of copies of a port
OF_TEMPLATE = 1 << 8  # in the event of such a copy, with the number of its template
_HEADER = struct.Struct(">BBBHIHI")  # kind, series, heading, event, number, 48 bits of time


@dataclass(frozen=True)
class CopyRecord:
    """The copy of one packet."""

    series: int  # 1 to 255: copies that are numbered together
    heading: int  # of a path, 0: from its first port; of a port: RECEIVED, TRANSMITTED
    event: int  # of a path: what happened to it, from 1; of a port: OF_TEMPLATE; 0: none
    number: int  # in the series, from 0, modulo 2^32
    at: int  # when it arrived, or left, in nanoseconds, modulo 2^48
    frame: bytes  # without FCS

    @property
    def octets(self) -> bytes:
        """Its bytes in a datagram."""
        high, low = divmod(self.at, 1 << 32)
        head = _HEADER.pack(KIND, self.series, self.heading, self.event, self.number, high, low)
        return head + self.frame

    @classmethod
    def parse(cls, octets: bytes) -> CopyRecord:
        """The copy in a datagram, which is one of a series."""
        _, series, heading, event, number, high, low = _HEADER.unpack_from(octets)
        return cls(series, heading, event, number, high << 32 | low, octets[_HEADER.size :])


def series_of(octets: bytes) -> int:
    """The series of the copy in a datagram; 0 if it is none."""
    return octets[1] if len(octets) >= _HEADER.size and octets[0] == KIND else 0
