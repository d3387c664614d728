# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps after planning: bytes and numbers. Mirrors `inline.proto`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..heading import Heading
from ..stamps import LoadedPath
from .match import Match


class Tunnel(Enum):
    """The tunnel in whose packets stamps are."""

    NONE = "TUNNEL_NONE"
    VXLAN = "TUNNEL_VXLAN"
    GTP_U = "TUNNEL_GTP_U"


@dataclass(frozen=True)
class PlannedStamps:
    """Stamps, ready for any target that forwards."""

    name: str
    paths: tuple[LoadedPath, LoadedPath]
    heading: Heading
    matches: tuple[Match, ...]  # none: all packets
    data_only: bool
    tunnel: Tunnel
    remove: bool
    mtu: int
    kept: int  # a sum of the bits of `Kept`; 0: packets are stamped
    timeout_ns: int
    flows: int
    under_way: int
    interval_ns: int
    intervals: int
    series: tuple[str, ...] = ()  # that were asked for, beside all packets together: flows, interval
