# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a fake switch in a separate process, behind the same pipe as a real one."""

from __future__ import annotations

import sys
from pathlib import Path

from .remote import RemoteSwitch


def fake_switch(folder: Path, program: str) -> RemoteSwitch:
    """A fake switch on this machine's clock, with a bridge between its ports."""
    command = [sys.executable, "-m", f"{__package__}.fake.served", str(folder), program]
    return RemoteSwitch(command)
