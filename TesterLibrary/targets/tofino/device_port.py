# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a Tofino's device ports, by pipe, connector and lane.

A Tofino 2 numbers them in another way, and has faster ports and another clock; this driver is for Tofino 1.
"""

from __future__ import annotations

CHIP = "tofino"  # the chip with these numbers, named like the profile of its programs
MASK = 0x1FF  # bits of a device port
INTERNAL_PIPES = (1, 3)  # pipes of a folded switch whose ports are wired to themselves (norma section 3.1)
CONNECTORS = 16  # connectors of a pipe
LANES = 4  # lanes of a connector
_PIPE_BITS = 7


def device_port(pipe: int, connector: int, lane: int = 0) -> int:
    """The device port of a connector of a pipe; all numbers are from 0 on."""
    return pipe << _PIPE_BITS | connector * LANES + lane


def pipe_of(port: int) -> int:
    """The pipe that a device port belongs to."""
    return port >> _PIPE_BITS
