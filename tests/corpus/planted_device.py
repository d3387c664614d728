# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener of Robot: a device of the corpus takes the place of the embedded one once the tester is open.

The variable BUG says which one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from robot.libraries.BuiltIn import BuiltIn

from TesterLibrary.running import suite
from TesterLibrary.running.opening import OpenTestbed

ROBOT_LISTENER_API_VERSION = 3
_ROOT = Path(__file__).parents[2]
_devices: list[subprocess.Popen[str]] = []
_open_tester = suite.open_tester  # type: ignore[attr-defined]


def _planted(*arguments: Any, **named: Any) -> OpenTestbed:
    bed: OpenTestbed = _open_tester(*arguments, **named)
    prefix, ports = bed.testbed.dut_prefix, bed.tester.ports.values()
    routes = any(port.gateway for port in ports)
    for port in ports if routes else ():
        for words in (f"ip address flush dev {port.name}", f"ip -6 address flush dev {port.name}"):
            subprocess.run([*prefix, *words.split()], check=True)
    if not routes:
        subprocess.run([*prefix, "ip", "link", "delete", "br0"], check=True)
    wish = {
        "bug": BuiltIn().get_variable_value("${BUG}"),
        "ports": [
            {
                "name": port.name,
                "gateway": f"{port.gateway}/{port.address.network.prefixlen}" if port.gateway else "",
                "station": str(port.address.ip),
                "mac": port.mac.hex(":"),
            }
            for port in ports
            if port.address
        ],
    }
    process = subprocess.Popen(
        [*prefix, sys.executable, "-m", "tests.corpus.forwarder", json.dumps(wish)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    _devices.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return bed


suite.open_tester = _planted  # type: ignore[attr-defined]


def close() -> None:
    """Ends the devices."""
    for process in _devices:
        process.kill()
        process.communicate()
