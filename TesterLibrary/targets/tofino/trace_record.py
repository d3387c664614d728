# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A packet of a traced path as a switch sends it, behind `path_trace_h` of p4/include/path_headers.p4."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_KIND = 1  # PATH_TRACED
_HEADER = struct.Struct(">BBBHIHI")  # kind, trace, heading, event, number, 48 bits of time


@dataclass(frozen=True)
class TraceRecord:
    """One packet of a traced path."""

    trace: int  # 1 to 255: the path
    heading: int  # 0: from the path's first port
    event: int  # that happened to it, from 1; 0: none
    number: int  # on the path, from 0, modulo 2^32
    arrived: int  # nanoseconds, modulo 2^48
    frame: bytes  # as it arrived, without FCS

    @property
    def octets(self) -> bytes:
        """Its bytes in a datagram."""
        high, low = divmod(self.arrived, 1 << 32)
        head = _HEADER.pack(_KIND, self.trace, self.heading, self.event, self.number, high, low)
        return head + self.frame

    @classmethod
    def parse(cls, octets: bytes) -> TraceRecord:
        """The record in a datagram, which is of a trace."""
        _, trace, heading, event, number, high, low = _HEADER.unpack_from(octets)
        return cls(trace, heading, event, number, high << 32 | low, octets[_HEADER.size :])


def trace_of(octets: bytes) -> int:
    """The trace of the record in a datagram; 0 if it is none."""
    return octets[1] if len(octets) >= _HEADER.size and octets[0] == _KIND else 0
