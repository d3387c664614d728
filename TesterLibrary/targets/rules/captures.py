# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures that every tester refuses, in the words of an engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from ...errors import PlanError
from ...model.capture import Capture, Direction
from ..base import PortInfo

MAX_BYTES = 2 << 30
_MOST = 8
_MAX_NAME, _MAX_FILTER = 128, 4096  # bytes
_FCS = 4
_T = TypeVar("_T")


def known_capture(name: str, captures: Mapping[str, _T]) -> _T:
    """The capture of that name. PlanError if there is none."""
    if name not in captures:
        raise PlanError(f"no capture {name!r}; there are {', '.join(captures) or 'none'}")
    return captures[name]


def check_capture(capture: Capture, ports: Mapping[str, PortInfo], known: Collection[str]) -> None:
    """PlanError for a capture that no tester can have, or beside those that are known."""
    where = f"capture {capture.name!r}"
    if capture.trigger and capture.direction is Direction.TRANSMITTED:
        raise PlanError(f"{where}: a trigger is a frame that arrives; capture RECEIVED or BOTH")
    if not 1 <= len(capture.name.encode()) <= _MAX_NAME:
        raise PlanError(f"{where}: a name has 1 to {_MAX_NAME} bytes")
    for port in capture.ports:
        if port not in ports:
            raise PlanError(f"{where}: no port {port!r}; this tester has {', '.join(ports)}")
    if not 1 <= capture.frames < 2**32:
        raise PlanError(f"{where}: {capture.frames} frames; at least 1")
    if not 0 <= capture.snap_length < 2**32:
        raise PlanError(f"{where}: a snap length of {capture.snap_length} bytes; 0 (all) or more")
    longest = max(ports[port].max_frame_size for port in capture.ports or ports) - _FCS
    longest = min(longest, capture.snap_length or longest)
    frames = capture.trigger.frames if capture.trigger else capture.frames
    if frames * longest > MAX_BYTES:
        raise PlanError(
            f"{where}: {frames} frames of up to {longest} bytes are more than {MAX_BYTES} bytes: "
            "keep fewer frames, or less of each with a snap length"
        )
    if len(capture.filter.encode()) > _MAX_FILTER or "\0" in capture.filter:
        raise PlanError(f"{where}: a filter has at most {_MAX_FILTER} bytes, without zeros")
    if capture.name in known:
        raise PlanError(f"{where}: there is one of that name; forget it first")
    if len(known) >= _MOST:
        raise PlanError(f"{where}: there are {_MOST} captures, and no more")
