# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An attempt at a cell as a process of Robot, on whichever machine it is run."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...reporting.record import agenda
from ...reporting.record.agenda import Item
from ...reporting.record.digests import digest_of
from ...reporting.record.machine import versions
from ...reporting.record.record_place import EVIDENCE
from ...reporting.record.recorder import start_run
from ...reporting.record.run_files import watched, write_run_files
from ...testbeds import load_testbed
from ..robot_process import start_robot

LOG = "robot.log"
ENDS_AT = "@ends-at@"  # in arguments: when the time budget is spent, on the clock of that machine
_INTERRUPTED = 253  # Robot's status
_END_S = 15.0  # for Robot to end a test and close its tester


@dataclass(frozen=True)
class Task:
    """All that is needed to run an attempt at a cell."""

    cell: str
    tester: str
    testbed: str  # its file, on the machine of the tester
    folder: Path  # of the attempt, on the machine that runs the campaign
    title: str
    run: str  # its id
    items: tuple[Item, ...]
    arguments: tuple[str, ...]  # of Robot
    budget_s: float | None = None  # left of the time budget
    environment: Mapping[str, str] = field(default_factory=dict)  # beside that of the machine
    files: Mapping[str, str] = field(default_factory=dict)  # that it reads, with their SHA-256
    watched: Mapping[str, str] = field(default_factory=dict)  # those that must not change while it is run
    versions: Mapping[str, str] = field(default_factory=versions)  # of the software


def unlike(task: Task) -> str:
    """How this machine differs from the one that runs the campaign, where that matters; empty if nowhere."""
    mine = versions()
    for name, version in task.versions.items():
        if name != "python" and mine.get(name) != version:
            return f"it has {name} {mine.get(name, 'nowhere')}, and the campaign is run by {version}"
    for name, digest in task.files.items():
        path = Path(name)
        if not path.is_file():
            return f"it has no file {path}; the files of a campaign have the same paths on all its machines"
        if digest_of(path) != digest:
            return f"its {path} is another one than that of the campaign"
    return ""


def start_records(folder: Path, run: str, title: str, items: Sequence[Item]) -> None:
    """Makes the folder of an attempt ready for records of a run.

    Raises:
        TesterLibraryError: it cannot be written.
    """
    evidence = folder / EVIDENCE
    start_run(evidence, run)
    agenda.write(evidence, title, items)


def prepare(task: Task, folder: Path) -> None:
    """Makes a folder ready for the files of a task. TesterLibraryError if it cannot be written."""
    start_records(folder, task.run, task.title, task.items)
    write_run_files(folder, watched(task.watched))


def start(task: Task, folder: Path) -> subprocess.Popen[bytes]:
    """Starts Robot for a task, whose files it writes into a folder that is ready. It ends with this thread.

    Raises:
        TesterLibraryError: the folder cannot be written.
    """
    ends_at = "" if task.budget_s is None else str(time.monotonic() + task.budget_s)
    arguments = [
        text.replace(str(task.folder), str(folder)).replace(ENDS_AT, ends_at) for text in task.arguments
    ]
    with (folder / LOG).open("ab") as log:
        return start_robot(arguments, folder, task.run, task.testbed, log=log, environment=task.environment)


def fault_of(task: Task, process: subprocess.Popen[bytes]) -> str:
    """The reason why Robot, which has ended, was cut off; empty: it came to its end.

    If it was killed, its traffic ends now, not with its lease: another tester may be given the device next.
    """
    status = process.returncode
    if status < 0:
        for spec in load_testbed(task.testbed).specs:
            if not spec.address:
                continue
            from ...targets.engine.client import end_lease_of  # and gRPC, which takes long

            end_lease_of(process.pid, spec.address, spec.certificates)
        return f"Robot was killed by {signal.Signals(-status).name}"
    return "Robot was interrupted" if status == _INTERRUPTED else ""


def end(process: subprocess.Popen[bytes], patience_s: float = _END_S) -> None:
    """Lets Robot close its tester and end; kills it if it does not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
