# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One process at a time goes on with a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import TesterLibraryError
from ..reporting.record.folder_lock import lock_folder

_PATIENCE_S = 1.0  # with those who only look, or have just been killed


@contextmanager
def alone(run: Path) -> Iterator[None]:
    """Has the folder of a run for this process. TesterLibraryError if another one has it."""
    folder = lock_folder(run, _PATIENCE_S)
    if folder is None:
        raise TesterLibraryError(
            f"the run in {run} goes on in another process; wait until that has ended, or end it by "
            "Ctrl-C, and give --resume then"
        )
    try:
        yield
    finally:
        os.close(folder)
