# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets of a given size, for the path MTU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..errors import PlanError
from ..measurement.trial import Trial
from ..model.stream import Stream
from ..model.units.units import MIN_FRAME_SIZE, Duration, FrameSize
from .measurer import TrialMeasurer
from .tester import Tester

_FCS = 4
_BEFORE_IP = {"Ether": 14, "Dot1Q": 4, "Dot1AD": 4}  # bytes
_IP = ("IP", "IPv6")


class PacketProbes:
    """The `ProbeMeasurer` of one stream."""

    def __init__(
        self, tester: Tester, stream: Stream, duration: Duration, *, note: Callable[[Trial], None]
    ) -> None:
        """PlanError if its frames carry no IP packet behind Ethernet and VLAN tags."""
        self._tester, self._stream, self._duration, self._note = tester, stream, duration, note
        self._beside = _beside_packet(stream)

    def check(self, *packets: int) -> None:
        """Plans packets of these sizes. PlanError if the port cannot send them; nothing was sent."""
        for packet in packets:
            self._tester.check([self._sized(packet)])

    def probe(self, packet: int) -> Trial:
        """See ProbeMeasurer."""
        measurer = TrialMeasurer(self._tester, [self._sized(packet)], note=self._note)
        return measurer.measure(measurer.load, self._duration)

    def _sized(self, packet: int) -> Stream:
        frame = packet + self._beside
        if frame < MIN_FRAME_SIZE:
            least = MIN_FRAME_SIZE - self._beside
            raise PlanError(f"a packet of {packet} bytes would be padded; the least is {least} bytes")
        return replace(self._stream, frame_size=FrameSize(frame))


def _beside_packet(stream: Stream) -> int:
    """Bytes of a frame that are not of its packet, FCS included."""
    beside = _FCS
    for header in stream.headers.headers if stream.headers else ():
        if header.name in _IP:
            return beside
        if header.name not in _BEFORE_IP:
            raise PlanError(
                f"stream {stream.name!r}: path MTU is of IP packets behind Ethernet and VLAN tags; its "
                f"headers are {stream.headers.names if stream.headers else ''}"
            )
        beside += _BEFORE_IP[header.name]
    if stream.headers:
        raise PlanError(f"stream {stream.name!r} has no IP packet: {stream.headers.names}")
    return beside + _BEFORE_IP["Ether"]
