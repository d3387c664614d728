# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens a tester without Robot."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from TesterLibrary.opening import OpenTester, open_tester
from TesterLibrary.reporting.progress import Progress
from TesterLibrary.reporting.recorder import Recorder


def opened(testbed: str, directory: Path) -> OpenTester:
    """The testbed's, recording into the directory; progress is not shown."""
    return open_tester(testbed, seed=1, recorder=Recorder(directory), progress=Progress(stream=StringIO()))
