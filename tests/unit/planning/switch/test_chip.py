# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Device ports of chips, as the vendor's driver numbers them."""

from __future__ import annotations

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.planning.switch.chip import INTERNAL_PIPES, TOFINO, TOFINO_2, Chip, chip_of, pipe_of


@pytest.mark.parametrize(
    ("chip", "place", "port"),
    [
        (TOFINO, (0, 0, 0), 0),
        (TOFINO, (1, 15, 3), 191),
        (TOFINO, (3, 0, 0), 384),
        (TOFINO_2, (0, 0, 0), 8),
        (TOFINO_2, (0, 7, 7), 71),
        (TOFINO_2, (2, 1, 0), 272),
    ],
)
def test_a_device_port_is_that_of_the_driver(chip: Chip, place: tuple[int, int, int], port: int) -> None:
    assert chip.device_port(*place) == port
    assert pipe_of(port) == place[0]


@pytest.mark.parametrize("chip", [TOFINO, TOFINO_2])
def test_ports_of_the_chip_itself_are_no_connectors(chip: Chip) -> None:
    connected = {
        chip.device_port(pipe, connector, lane)
        for pipe in range(chip.pipes)
        for connector in range(chip.connectors)
        for lane in range(chip.lanes)
    }
    assert len(connected) == 256
    assert not connected & {chip.cpu_port, *chip.pcie_ports, chip.recirculation_port}


@pytest.mark.parametrize("chip", [TOFINO, TOFINO_2])
def test_starts_come_in_again_at_an_external_pipe_by_a_port_of_no_cpu(chip: Chip) -> None:
    assert pipe_of(chip.recirculation_port) not in INTERNAL_PIPES
    four = range(chip.cpu_port, chip.cpu_port + 4)  # lanes of the CPU's Ethernet port
    assert chip.recirculation_port not in {*four, *chip.pcie_ports}


def test_a_profile_of_no_chip_is_refused() -> None:
    with pytest.raises(PlanError, match="profile v1model is of no known chip: tofino, tofino2"):
        chip_of("v1model")
