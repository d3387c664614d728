# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two links, joined by a line of known rate, delay, queue and MTU."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ...model.units.units import Bandwidth, Duration
from .. import long_line
from ..programs import run_script
from . import DutPort, device

if TYPE_CHECKING:
    from ..namespace import Namespace


@device("long-line")
def build(
    namespace: Namespace, ports: Sequence[DutPort], *, rate: str, delay: str, queue: int, mtu: int = 1500
) -> None:
    """Each direction sends at `rate`, FCS included, and its frames arrive `delay` after they have left.

    At most `queue` bytes wait; what finds no room is lost, and so is a packet longer than `mtu`, silently.
    """
    if len(ports) != 2:
        raise TestbedError(f"a line has two ends; the testbed has {len(ports)} ports")
    wanted = {
        "interfaces": [port.interface for port in ports],
        "bps": Bandwidth.parse(rate).bps,
        "delay_ns": Duration.parse(delay).ns,
        "queue": queue,
        "mtu": mtu,
    }
    run_script(namespace, Path(long_line.__file__), json.dumps(wanted))
