# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens a tester without Robot."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path

from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.opening import OpenTestbed, open_tester

# Where a hypervisor takes more than 5 %, or a worker pauses, it is open who lost a frame. These tests know
# what a device loses: one that the tester loses fails them.
_STEAL, _PAUSE_NS = Fraction(1, 4), 50_000_000


def opened(testbed: str, directory: Path) -> OpenTestbed:
    """The testbed's, recording into the directory; progress is not shown."""
    bed = open_tester(testbed, seed=1, recorder=Recorder(directory), progress=Console(stream=StringIO()))
    rules = bed.tester.rules
    bed.tester.rules = replace(rules, limits=replace(rules.limits, max_steal=_STEAL, max_pause_ns=_PAUSE_NS))
    return bed
