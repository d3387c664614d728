# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""pcap-filter(7) by the libpcap of this machine: the same as an engine uses."""

from __future__ import annotations

import ctypes
from functools import cache

from ...errors import PlanError

_NAMES = ("libpcap.so.0.8", "libpcap.so.1", "libpcap.so")  # Debian's, everybody else's
_ETHERNET = 1
_MOST_BYTES = 262_144
_OPTIMIZE = 1
_NETMASK_UNKNOWN = 0xFFFFFFFF


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint), ("instructions", ctypes.c_void_p))


class _Header(ctypes.Structure):
    _fields_ = (
        ("seconds", ctypes.c_long),
        ("microseconds", ctypes.c_long),
        ("captured", ctypes.c_uint32),
        ("length", ctypes.c_uint32),
    )


class Filter:
    """A filter expression, which frames pass or not."""

    def __init__(self, expression: str, where: str) -> None:
        """`where` starts messages. Raises PlanError with what libpcap says of the expression."""
        self._pcap = _library()
        self._program = _Program()
        ethernet = ctypes.c_void_p(self._pcap.pcap_open_dead(_ETHERNET, _MOST_BYTES))
        try:
            failed = self._pcap.pcap_compile(
                ethernet,
                ctypes.byref(self._program),
                expression.encode(),
                _OPTIMIZE,
                ctypes.c_uint32(_NETMASK_UNKNOWN),
            )
            if failed:
                said = ctypes.string_at(self._pcap.pcap_geterr(ethernet)).decode(errors="replace")
                raise PlanError(f"{where}: filter {expression!r}: {said}; see pcap-filter(7)")
        finally:
            self._pcap.pcap_close(ethernet)

    def matches(self, frame: bytes) -> bool:
        """Whether a whole frame, without FCS, passes."""
        header = _Header(0, 0, len(frame), len(frame))
        return bool(self._pcap.pcap_offline_filter(ctypes.byref(self._program), ctypes.byref(header), frame))

    def __del__(self) -> None:
        if hasattr(self, "_program"):
            self._pcap.pcap_freecode(ctypes.byref(self._program))


@cache
def _library() -> ctypes.CDLL:
    for name in _NAMES:
        try:
            pcap = ctypes.CDLL(name)
        except OSError:
            continue
        pcap.pcap_open_dead.restype = ctypes.c_void_p
        pcap.pcap_geterr.restype = ctypes.c_void_p
        return pcap
    raise PlanError(f"a filter needs libpcap, which is not installed; tried {', '.join(_NAMES)}")
