# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that say of one packet after the other whether it is selected."""

from __future__ import annotations

from pathlib import Path

from ..errors import PlanError
from ..model.inline import MOST_PATTERN


def load_pattern(path: str) -> tuple[bool, ...]:
    """The pattern of a file: 0 and 1 in any number of lines; blanks, and all behind a `#`, are left out.

    Raises:
        PlanError: the file cannot be read, has another character, by its line, or too many.
    """
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise PlanError(f"{path}: cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise PlanError(f"{path}: not text: {problem.reason}") from problem
    found: list[bool] = []
    for number, line in enumerate(lines, 1):
        for character in "".join(line.partition("#")[0].split()):
            if character not in "01":
                raise PlanError(f"{path}:{number}: {character!r} is neither 0 nor 1")
            found.append(character == "1")
    if not 1 <= len(found) <= MOST_PATTERN:
        raise PlanError(f"{path}: {len(found):,} packets; give 1 to {MOST_PATTERN:,}")
    return tuple(found)
