# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a fake switch in a separate process, behind the same pipe as a real one."""

from __future__ import annotations

import sys
from pathlib import Path

from ...model.shaper import Shaper
from .remote import RemoteSwitch


def fake_switch(folder: Path, program: str, shaper: Shaper | None = None) -> RemoteSwitch:
    """A fake switch on this machine's clock, with a bridge between its ports, which may shape."""
    command = [sys.executable, "-m", f"{__package__}.fake.served", str(folder), program]
    if shaper:
        command += [str(number) for number in (shaper.rate.bps, shaper.burst, shaper.queue)]
    return RemoteSwitch(command)
