# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot's results of the parts of a campaign, put into one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from robot.api import ResultVisitor

from ..captures.frames import FOLDER as FRAMES
from ..record.durable import RecordError, make_directory
from ..record.record_place import EVIDENCE


class ResultLinks(ResultVisitor):
    """Lets messages of Robot's log link to files that were given another name."""

    def __init__(self, moved: Mapping[str, str]) -> None:
        self._moved = moved

    def visit_message(self, message: Any) -> None:
        """Each one of them."""
        for old, new in self._moved.items():
            message.message = message.message.replace(f'"{EVIDENCE}/{old}"', f'"{EVIDENCE}/{new}"')


def graft(suite: Any, other: Any, order: Mapping[str, int]) -> None:
    """Puts the suites and tests of another result into a suite; a test of the same name is replaced."""
    if other.tests:
        tests = {test.name: test for test in (*suite.tests, *other.tests)}
        suite.tests = sorted(tests.values(), key=lambda test: order.get(test.name, len(order)))
    for child in other.suites:
        known = next((mine for mine in suite.suites if mine.name == child.name), None)
        if known is None:
            suite.suites.append(child)
        else:
            graft(known, child, order)
    if other.end_time and (not suite.end_time or other.end_time > suite.end_time):
        suite.end_time = other.end_time


def apart_name(name: str, cell: str) -> str:
    """A name of a file that no other cell has. Rows of frames stay in the folder of their trial."""
    path = PurePosixPath(name)
    if path.parts[0] == FRAMES:
        return str(path.with_name(f"{cell}-{path.name}"))
    return str(PurePosixPath(path.parts[0], cell, *path.parts[1:]))


def renamed(value: Any, moved: Mapping[str, str]) -> Any:
    """A record with the new names of files."""
    if isinstance(value, str):
        return moved.get(value, value)
    if isinstance(value, list):
        return [renamed(item, moved) for item in value]
    if isinstance(value, dict):
        return {key: renamed(item, moved) for key, item in value.items()}
    return value


def link(path: Path, target: Path) -> None:
    """The same file at another place, without its bytes twice where the disk can do that."""
    make_directory(target.parent)
    with suppress(OSError):
        if target.exists() and target.samefile(path):
            return
    fresh = target.with_name(f"{target.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        try:
            os.link(path, fresh)
        except OSError:
            shutil.copyfile(path, fresh)
        fresh.replace(target)
    except OSError as problem:
        raise RecordError(target, problem) from None
