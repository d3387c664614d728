# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures of what arrives on ports, as files with the FCS of each frame."""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ...errors import PlanError, TargetError
from ...measurement.capture import CapturedFrame, StoppedCapture
from ...measurement.captured_frames import CapturedFrames, frames_of
from ...model.capture import Capture, Direction, Keep
from ...model.units.units import FCS_LENGTH
from ...reporting.captures.pcapng import write_capture
from ...running.tester import Tester
from ...targets.base import part_of
from .settings import CaptureSetting
from .support import reads

reads("CaptureRequest", "port_name")

_MAGIC, _ETHERNET, _LONGEST = 0xA1B2C3D4, 1, 65535
_FRAMES = (
    1_000_000,
    100_000,
    10_000,
)  # most frames of a capture; the first number that the tester has room for


class PortCaptures:
    """The captures of a configuration, by the tester's names of their ports."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self.settings: Mapping[str, CaptureSetting] = {}
        self.running: set[str] = set()
        self.files: dict[str, bytes] = {}  # of those that have ended
        self._made: dict[str, Capture] = {}
        self._number = 0

    def start(self, ports: Iterable[str]) -> None:
        """Captures what arrives on ports from now on; what they captured before is forgotten."""
        for port in ports:
            self._forget(port)
            setting = self.settings[port]
            self._number += 1
            refused: PlanError | None = None
            for frames in _FRAMES:
                capture = Capture(
                    f"otg-{self._number}",
                    (port,),
                    Direction.RECEIVED,
                    keep=Keep.LAST if setting.newest else Keep.FIRST,
                    frames=frames,
                    snap_length=setting.packet_size,
                )
                try:
                    part_of(self._tester.target, "captures").start(capture)
                    break
                except PlanError as refusal:  # too many bytes
                    refused = refusal
            else:
                assert refused is not None
                raise refused
            self._made[port] = capture
            self.running.add(port)

    def stop(self, ports: Iterable[str]) -> list[str]:
        """Ends captures and keeps their files. Returns what is missing in them."""
        warnings = []
        for port in ports:
            if port not in self.running:
                continue
            target, capture = self._tester.target, self._made[port]
            stopped = part_of(target, "captures").stop(capture.name)
            frames = frames_of(part_of(target, "captures").read(capture.name))
            self.files[port] = self._file(port, stopped, frames)
            part_of(target, "captures").forget(capture.name)
            self.running.discard(port)
            if stopped.counters.dropped:
                warnings.append(
                    f"capture of port {port}: {stopped.counters.dropped:,} of {stopped.counters.matched:,} "
                    "frames are missing, for which the tester had no room; they are in the metrics"
                )
        return warnings

    def _file(self, port: str, stopped: StoppedCapture, frames: Iterable[CapturedFrame]) -> bytes:
        setting = self.settings[port]
        whole = (_with_fcs(frame, setting.packet_size) for frame in frames)
        if not setting.is_pcapng:
            return b"".join(pcap(whole, stopped.clock_zero_unix_ns))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "capture.pcapng"
            macs = {name: each.mac for name, each in self._tester.ports.items()}
            write_capture(path, self._made[port], stopped, [CapturedFrames.of(whole)], macs)
            return path.read_bytes()

    def _forget(self, port: str) -> None:
        self.files.pop(port, None)
        if port in self.running:
            self.running.discard(port)
            part_of(self._tester.target, "captures").forget(self._made[port].name)

    def close(self) -> None:
        """Forgets everything. Never raises."""
        for port in tuple(self.running):
            with suppress(TargetError, PlanError):
                self._forget(port)
        self.running.clear()
        self.files.clear()
        self.settings = {}


def _with_fcs(frame: CapturedFrame, packet_size: int) -> CapturedFrame:
    """The frame as long as on the line: its FCS follows from its octets (IEEE 802.3 clause 3.2.9)."""
    octets = frame.octets
    if len(octets) == frame.original_length:
        octets += zlib.crc32(octets).to_bytes(FCS_LENGTH, "little")
    return replace(
        frame,
        octets=octets[:packet_size] if packet_size else octets,
        original_length=frame.original_length + FCS_LENGTH,
    )


def pcap(frames: Iterable[CapturedFrame], clock_zero_unix_ns: int) -> Iterator[bytes]:
    """A classic capture file with microseconds, which all readers know."""
    yield struct.pack("<IHHiIII", _MAGIC, 2, 4, 0, 0, _LONGEST, _ETHERNET)
    for frame in frames:
        seconds, rest = divmod(clock_zero_unix_ns + frame.time_ns, 10**9)
        yield struct.pack("<IIII", seconds, rest // 1000, len(frame.octets), frame.original_length)
        yield frame.octets
