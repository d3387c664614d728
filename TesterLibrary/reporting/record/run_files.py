# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that decide what a run measures and requires: they are what they were when the run began.

Each Robot reads testbed, profile, criteria, suites and what these name anew, and each suite its testbed. What
is edited meanwhile would be certified under the name of what was there before. So the files are compared
before each Robot and suite and after each test; once one has changed, nothing more is run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robot.api import logger

from ...errors import TesterLibraryError
from .codec import decode, encode
from .digests import digest_of
from .durable import make_directory, write_json
from .record_place import ROBOT, RecordPlace
from .recorder import ROBOT_FAULT, Recorder

FILE = "files.json"  # in the folder of Robot's outputs


@dataclass(frozen=True)
class RunFile:
    """A file that a run reads."""

    path: str
    said: str  # the file in a message: `the testbed mine.yaml`
    sha256: str  # as the run began


def watched(files: Mapping[str, str]) -> list[RunFile]:
    """Files by their paths, with their SHA-256."""
    return [RunFile(path, f"the file {path}", digest) for path, digest in files.items()]


def write_run_files(output: Path, files: Iterable[RunFile]) -> None:
    """Notes in the folder of a run what its files were when it began."""
    make_directory(output / ROBOT)
    write_json(output / ROBOT / FILE, encode(tuple(files)))


class RunFiles:
    """The files of a run, as they were noted when it began."""

    def __init__(self, output: Path) -> None:
        path = output / ROBOT / FILE
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else ()
        self._files = [decode(RunFile, file) for file in content]
        self._same: dict[str, tuple[int, ...]] = {}  # the state of each file that was compared

    def change(self) -> str:
        """The sentence that names the files which are others than when the run began; empty if none is."""
        changed = list(dict.fromkeys(file.said for file in self._files if self._is_another(file)))
        if not changed:
            return ""
        have = "has" if len(changed) == 1 else "have"
        return (
            f"{', '.join(changed)} {have} changed since the run began, and results would stand under another "
            "name; undo that and go on by --resume, or run it from its begin"
        )

    def _is_another(self, file: RunFile) -> bool:
        try:
            stat = Path(file.path).stat()
            state = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
            if self._same.get(file.path) == state:
                return False
            if digest_of(Path(file.path)) != file.sha256:
                return True
        except (OSError, TesterLibraryError):  # it is gone
            return True
        self._same[file.path] = state
        return False


class RunFilesListener:
    """A listener of Robot that ends a run as soon as one of its files has changed."""

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 2  # before the library's own listener, which records how a test ended

    def __init__(self, output: str, evidence: str) -> None:
        self._files, self._evidence = RunFiles(Path(output)), Path(evidence)
        self._change = ""
        self._begun: list[Any] = []  # tests

    def start_suite(self, data: Any, result: Any) -> None:  # noqa: ARG002 - Robot names them
        """Before its setup, which opens the tester."""
        self._check(data)

    def end_test(self, data: Any, result: Any) -> None:
        """A test during which a file has changed may have read either."""
        self._begun.append(data)
        if self._check(data.parent):
            result.status = "FAIL"
            result.message = "\n\n".join(filter(None, (self._change, result.message)))

    def _check(self, suite: Any) -> bool:
        """Takes all tests out that have not begun if a file has changed. True if that is so."""
        if self._change:
            return False
        self._change = self._files.change()
        if not self._change:
            return False
        logger.error(self._change)
        whole = outermost(suite)
        recorder = Recorder(self._evidence)
        recorder.place = RecordPlace(suite=whole.name)
        recorder.event(ROBOT_FAULT, reason=self._change)
        take_out(whole, [test for test in whole.all_tests if all(test is not begun for begun in self._begun)])
        return True


def outermost(suite: Any) -> Any:
    """The suite around all others."""
    while suite.parent:
        suite = suite.parent
    return suite


def take_out(suite: Any, tests: Iterable[Any]) -> None:
    """Takes tests out of an outermost suite, in place, and the suites that have none left."""
    for test in tests:
        test.parent.tests.remove(test)
    for empty in [inner for inner in _below(suite) if not inner.has_tests]:
        empty.parent.suites.remove(empty)


def _below(suite: Any) -> Iterator[Any]:
    for child in suite.suites:
        yield child
        yield from _below(child)
