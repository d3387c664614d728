# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens a tester without Robot."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from TesterLibrary.reporting.progress import Console
from TesterLibrary.reporting.recorder import Recorder
from TesterLibrary.running.opening import OpenTestbed, open_tester


def opened(testbed: str, directory: Path) -> OpenTestbed:
    """The testbed's, recording into the directory; progress is not shown."""
    return open_tester(testbed, seed=1, recorder=Recorder(directory), progress=Console(stream=StringIO()))
