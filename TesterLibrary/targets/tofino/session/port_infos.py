# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ports of a switch as every target tells of its own."""

from __future__ import annotations

from collections.abc import Iterator

from ...base import PortInfo
from .session import SwitchSession


def port_infos(session: SwitchSession) -> Iterator[PortInfo]:
    """The ports of the testbed, in their order."""
    for port, state in zip(session.cabling.front, session.states, strict=True):
        speed = int(port.port.speed.bps)
        yield PortInfo(
            port.port.name,
            "tofino",
            f"{port.front}, device port {state.device_port}",
            port.port.mac,
            speed,
            state.up,
            port.port.max_frame_size,
        )
