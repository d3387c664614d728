# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that plant defects: in the device under test, and in the tester."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time

from robot.libraries.BuiltIn import BuiltIn

from TesterLibrary.running.opening import OpenTestbed


class Sabotage:
    ROBOT_LIBRARY_SCOPE = "SUITE"

    def limit_device(self, rate: str) -> None:
        """The device forwards no more than this towards p2: a token bucket with a short queue."""
        self._in_device(
            "tc", "qdisc", "replace", "dev", "p2", "root", "tbf", "rate", rate, "burst", "4k", "limit", "8k"
        )

    def mute_device(self) -> None:
        """The device forwards nothing to p2, whose link stays."""
        self._in_device("ip", "link", "set", "p2", "nomaster")

    def unplug_device(self) -> None:
        """The device's port towards p2 goes down."""
        self._in_device("ip", "link", "set", "p2", "down")

    def kill_engine_in(self, seconds: float) -> None:
        """Kills the engine as the kernel's memory killer would."""
        threading.Timer(seconds, os.kill, (_engine(), signal.SIGKILL)).start()

    def stop_engine_in(self, seconds: float) -> None:
        """It is there, but does not answer."""
        threading.Timer(seconds, os.kill, (_engine(), signal.SIGSTOP)).start()

    def pause_engine(self, seconds: float) -> None:
        """It stands still for so long, and goes on."""
        engine = _engine()
        os.kill(engine, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(engine, signal.SIGCONT)

    def _in_device(self, *command: str) -> None:
        subprocess.run([*_tester().testbed.dut_prefix, *command], check=True)


def _tester() -> OpenTestbed:
    bed: OpenTestbed = BuiltIn().get_library_instance("TesterLibrary").suite.open_testbed
    return bed


def _engine() -> int:
    """The process that this one started."""
    found = subprocess.run(
        ["pgrep", "-x", "testerd", "--parent", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return int(found.stdout)
