# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener of Robot: each suite has the keyword `Bring Another Device`, a hook that resets no router.

The router forwards nothing for a while; then its interface to p1 has another MAC address, as if somebody had
put another device in its place.
"""

from __future__ import annotations

import subprocess
import time
from typing import Any

from robot.libraries.BuiltIn import BuiltIn

from TesterLibrary.running import suite
from TesterLibrary.running.opening import OpenTestbed

ROBOT_LISTENER_API_VERSION = 3
_opened: list[OpenTestbed] = []
_open_tester = suite.open_tester  # type: ignore[attr-defined]


def _remembered(*arguments: Any, **named: Any) -> OpenTestbed:
    _opened.append(_open_tester(*arguments, **named))
    return _opened[-1]


suite.open_tester = _remembered  # type: ignore[attr-defined]


def start_suite(*_: object) -> None:
    """Makes the keyword known."""
    BuiltIn().import_library(__file__)


def bring_another_device() -> None:
    """Changes the MAC address of the router's interface to p1, after half a second of silence."""
    for words in (
        "sysctl -q -w net.ipv4.ip_forward=0",
        "ip link set dev p1 address 02:00:00:00:99:99",
        "sysctl -q -w net.ipv4.ip_forward=1",
    ):
        subprocess.run([*_opened[-1].testbed.dut_prefix, *words.split()], check=True)
        time.sleep(0.25)
