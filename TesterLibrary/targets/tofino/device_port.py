# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a Tofino's device ports: by pipe, connector and lane.

A Tofino 2 numbers them in another way, has faster ports and another clock: this driver is for the first.
"""

from __future__ import annotations

CHIP = "tofino"  # whose numbers these are, by the profile that programs for it are compiled with
MASK = 0x1FF  # bits of a device port
INTERNAL_PIPES = (1, 3)  # of a folded switch (norma section 3.1): their ports are wired to themselves
CONNECTORS = 16  # of a pipe
LANES = 4  # of a connector
_PIPE_BITS = 7


def device_port(pipe: int, connector: int, lane: int = 0) -> int:
    """The port of a connector of a pipe, both from 0 on."""
    return pipe << _PIPE_BITS | connector * LANES + lane


def pipe_of(port: int) -> int:
    """The pipe that a device port is of."""
    return port >> _PIPE_BITS
