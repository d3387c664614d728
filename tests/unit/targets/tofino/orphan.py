# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A driver that can be killed, and a switch that outlives it and says how many frames it has sent since.

`python -m tests.unit.targets.tofino.orphan drive REPORT` starts a stream without end and says so.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.fake import Bridge, FakeDaemon, FakeSwitch
from TesterLibrary.targets.tofino.fake.fake_server import ServedSwitch
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.session import SwitchSession
from TesterLibrary.targets.tofino.vendor.serving import serve

from .driver.test_target import Driven
from .rig import FOLDER, SCHEMA, cabling

LOOKS, APART_S = 4, 0.1


class Counting(Bridge):
    """Counts frames."""

    seen = 0

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        self.seen += 1
        return super().forward(port, frame, now_ns, others)


def command(role: str, report: Path) -> list[str]:
    """A process of this module."""
    return [sys.executable, "-m", __spec__.name, role, str(report)]


def drive(report: Path) -> None:
    """Sends until the process is killed."""
    session = SwitchSession(lambda: RemoteSwitch(command("serve", report)), SCHEMA, cabling())
    target = TofinoTarget(session, Program.load(FOLDER))
    target.load(Driven().plan(rate="500 pps"))
    target.start(["north"])
    while not target.snapshot().streams[0].rx_packets:
        time.sleep(APART_S)
    print("sending", flush=True)
    time.sleep(600)


def outlive(report: Path) -> None:
    """The switch: its chip goes on when nobody asks any more."""
    wire = Counting()
    daemon = FakeDaemon(FOLDER, time.monotonic_ns, wire)
    try:
        serve(ServedSwitch(FakeSwitch(daemon)))
    finally:
        seen = []
        for _ in range(LOOKS):
            time.sleep(APART_S)  # the first time for what is on its way
            _ = daemon.running  # what has happened until now
            seen.append(wire.seen)
        report.write_text(json.dumps(seen), encoding="utf-8")


if __name__ == "__main__":
    {"drive": drive, "serve": outlive}[sys.argv[1]](Path(sys.argv[2]))
