# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The chips that a switch may have: numbers of their device ports, speeds and clocks.

Source: the drivers that Intel published (open-p4studio, `bf_types.h`, `lld_sku.c`, `port_mgr_tof2_map.c`; of
ports that recirculate `pipe_mgr_pktgen.c`, `pipe_mgr_tof2_pktgen.c`, `bf_switchd.c`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...errors import PlanError

_PIPE_BITS = 7  # a device port is the pipe's number, and the port within the pipe in the low bits


@dataclass(frozen=True)
class Chip:
    """A chip of a switch, chosen by the profile of the program that it runs.

    Args:
        profile: The profile of its tester, which is the compiler's name of the chip, too.
        family: The daemon's name of it.
        connectors: Connectors of a pipe.
        lanes: Lanes of a connector.
        first_port: The port within each pipe that is the first lane of the first connector.
        port_bps: Bits each second of a connector.
        cpu_port: Device port of the Ethernet port that boards wire to their CPU.
        pcie_ports: Device ports of the CPU by PCIe, which have no MAC and are always up.
        clock_mhz: The usual clock of its pipelines.
        pipeline_pps: Packets each second that a pipeline takes.
        stages: Stages of a pipeline, each of which a packet passes once.
        recirculation_port: Device port of an external pipe whose frames come in again, without a cable or a
            set-up.
        edited_fields: Fields of a template that the program changes from frame to frame, each by a unit.
        ipv6_answers: Whether templates of the program answer TCP and UDP of IPv6, too.
    """

    profile: str
    family: str
    connectors: int
    lanes: int
    first_port: int
    port_bps: int
    cpu_port: int
    pcie_ports: tuple[int, ...]
    clock_mhz: int
    pipeline_pps: int
    stages: int
    recirculation_port: int
    pipes: int = 4
    edited_fields: int = 2
    ipv6_answers: bool = False

    def device_port(self, pipe: int, connector: int, lane: int = 0) -> int:
        """The device port of a connector of a pipe; all numbers are from 0 on."""
        return pipe << _PIPE_BITS | (self.first_port + connector * self.lanes + lane)

    @property
    def clock(self) -> Fraction:
        """The usual clock of its pipelines in Hz."""
        return Fraction(self.clock_mhz) * 10**6

    def connectors_of(self, pipes: tuple[int, ...]) -> tuple[int, ...]:
        """The first device port of each connector of these pipes."""
        return tuple(self.device_port(pipe, number) for pipe in pipes for number in range(self.connectors))


TOFINO = Chip(
    profile="tofino",
    family="Tofino",
    connectors=16,
    lanes=4,
    first_port=0,
    port_bps=100 * 10**9,
    cpu_port=64,
    pcie_ports=(192, 320),  # of a chip with two pipes, with four
    clock_mhz=1270,  # p4c's table of meter rates, profile 0
    pipeline_pps=1_200_000_000,
    stages=12,  # norma section 3.1
    recirculation_port=68,  # 68 to 71 always do
)
TOFINO_2 = Chip(
    profile="tofino2",
    family="Tofino2",
    connectors=8,
    lanes=8,
    first_port=8,
    port_bps=400 * 10**9,
    cpu_port=2,
    pcie_ports=(0,),
    clock_mhz=1500,
    pipeline_pps=1_500_000_000,
    stages=20,  # as its compiler reports
    recirculation_port=6,  # 1, 6 and 7 of pipe 0 always do, 6 with the lanes of 7 at 100G
    edited_fields=3,
    ipv6_answers=True,
)
CHIPS = {"tofino": TOFINO, "tofino2": TOFINO_2, "inline": TOFINO, "inline2": TOFINO_2}  # by profile
INTERNAL_PIPES = (1, 3)  # pipes of a folded switch whose ports are wired to themselves (norma section 3.1)
RECIRCULATION_BPS = 100 * 10**9  # as the vendor's daemon adds these ports of both chips
PORT_MASK = 0x1FF  # bits of a device port


def chip_of(profile: str) -> Chip:
    """The chip that a profile compiles for. PlanError for a profile of no known chip."""
    try:
        return CHIPS[profile]
    except KeyError:
        raise PlanError(f"the profile {profile} is of no known chip: {', '.join(CHIPS)}") from None


def pipe_of(port: int) -> int:
    """The pipe that a device port belongs to."""
    return port >> _PIPE_BITS
