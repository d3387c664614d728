# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A listener of Robot: behind every fake switch that is opened is a bridge that loses one frame in twenty."""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path

from TesterLibrary.model.units.units import Ratio
from TesterLibrary.targets.fake import FakePath
from TesterLibrary.targets.tofino.fake import Bridge, FakeDaemon, FakeSwitch
from TesterLibrary.targets.tofino.fake.fake_server import ServedSwitch
from TesterLibrary.targets.tofino.session import opening
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.vendor.serving import serve

ROBOT_LISTENER_API_VERSION = 3


def lossy_switch(folder: Path, program: str, *_: object) -> RemoteSwitch:
    """A switch that loses frames, in place of `fake_switch`."""
    return RemoteSwitch([sys.executable, __file__, str(folder), program])


if __name__ == "__main__":
    bridge = Bridge(FakePath(loss=Ratio(Fraction(1, 20))))
    daemon = FakeDaemon(Path(sys.argv[1]), time.monotonic_ns, bridge, program=sys.argv[2])
    serve(ServedSwitch(FakeSwitch(daemon, program=sys.argv[2])))
else:
    opening.fake_switch = lossy_switch  # type: ignore[attr-defined]
