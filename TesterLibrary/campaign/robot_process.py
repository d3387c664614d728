# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot as a process that ends with the one that started it, and writes alone into the folder of a run.

A process that is killed leaves Robot behind for as long as a test needs to end and its tester to be closed.
So Robot holds a lock on its folder (flock(2)), which only its own end releases.

    python -m TesterLibrary.campaign.robot_process PARENT OPTIONS SUITES

is Robot for the process PARENT. When that ends, Robot is told to end, and killed if it goes on for long.
It ends as soon as its output is written: an interpreter that is taken apart keeps a tester of a campaign from
its next suite for half a second.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from ..errors import TesterLibraryError
from ..reporting.record.folder_lock import lock_folder
from ..reporting.record.record_place import EVIDENCE, ROBOT, RecordPlace
from ..reporting.record.recorder import ROBOT_FAULT, RUN_VARIABLE, Recorder
from ..testbeds.python_process import python_command
from ..testbeds.run_testbed import VARIABLE as TESTBED_VARIABLE
from .attached import end_with
from .child_status import UNHEARD, StatusWriter, TestStatus

_PATIENCE_S = 30.0  # with Robot, which was told to end
_STATUS_LISTENER = f"{TestStatus.__module__}.{TestStatus.__name__}"
_ROBOT_FAILED = 255  # as Robot Framework says it of itself


def start_robot(
    arguments: Sequence[str],
    output: Path,
    run_id: str,
    testbed: str,
    *,
    status: StatusWriter = UNHEARD,
    log: IO[bytes] | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.Popen[bytes]:
    """Starts Robot, whose records belong to a run.

    Args:
        arguments: Its options and suites.
        output: The folder of the run.
        run_id: The identity of the run.
        testbed: Its name or path: suites that open another one are refused.
        status: Is told how each test has ended.
        log: The place of what it prints; None: where this process prints.
        environment: Variables beside those of this process.

    Raises:
        TesterLibraryError: another one still writes into the folder.
    """
    (output / ROBOT).mkdir(exist_ok=True)
    lock = _locked(output)
    told = () if status.descriptor is None else (status.descriptor,)
    listener = [text for file in told for text in ("--listener", f"{_STATUS_LISTENER};{file}")]
    try:
        return subprocess.Popen(
            python_command(__name__, str(os.getpid()), *listener, *arguments),
            env={**os.environ, **environment, RUN_VARIABLE: run_id, TESTBED_VARIABLE: testbed},
            stdin=None if log is None else subprocess.DEVNULL,
            stdout=log,
            stderr=None if log is None else subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the process that started it
            pass_fds=(lock, *told),
        )
    finally:
        os.close(lock)


def await_end(output: Path) -> None:
    """Waits for Robot of an earlier process, so that its records are all there, and nothing is added to them.

    Raises:
        TesterLibraryError: it goes on.
    """
    if (output / ROBOT).is_dir():
        os.close(_locked(output))


def _locked(output: Path) -> int:
    """The folder, as a file that is locked until all who have it have closed it."""
    folder = lock_folder(output / ROBOT, _PATIENCE_S)
    if folder is None:
        raise TesterLibraryError(
            f"Robot still writes into {output}: a run goes on there, or was killed and its test "
            "has not ended yet; wait until it has"
        )
    return folder


def record_fault(output: Path, run_id: str, suite: str, reason: str) -> None:
    """Records in a run why tests of a suite, and of those in it, were not run."""
    with suppress(TesterLibraryError):  # the disk is full: the tests are missing all the same
        recorder = Recorder(output / EVIDENCE, run_id)
        recorder.place = RecordPlace(suite=suite)
        recorder.event(ROBOT_FAULT, reason=reason)


def _record_fault(message: str) -> None:
    """Records an error for which Robot runs nothing, such as a suite that it cannot read."""
    options = dict(zip(sys.argv[2:], sys.argv[3:], strict=False))
    line = message.strip().partition("\n")[0].rstrip(".")
    run_id = os.environ[RUN_VARIABLE]
    record_fault(Path(options["--outputdir"]), run_id, options["--name"], f"Robot says: {line}")


def kill_after(parent: int, patience_s: float) -> None:
    """Kills this process so long after a process has ended: a test may not end when it is told to."""
    try:
        handle = os.pidfd_open(parent)
    except ProcessLookupError:
        handle = None

    def kill() -> None:
        if handle is not None:
            select.select([handle], [], [])
        threading.Event().wait(patience_s)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=kill, name="end of the parent", daemon=True).start()


def _main() -> None:
    """Never returns."""
    parent = int(sys.argv[1])
    kill_after(parent, _PATIENCE_S)
    end_with(parent)  # no traffic goes on after that was killed
    from robot.run import RobotFramework

    class Robot(RobotFramework):
        def _report_error(self, message: Any, details: Any = None, *args: Any, **more: Any) -> Any:
            """A file that cannot be written is no fault of Robot's: a trace of its calls helps nobody."""
            told = None if isinstance(sys.exc_info()[1], OSError) else details
            _record_fault(str(message))
            return super()._report_error(message, told, *args, **more)  # type: ignore[no-untyped-call]

    try:
        status: int = Robot().execute_cli(sys.argv[2:], exit=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as problem:  # of an output that cannot be closed, or was not for this reason
        print(f"Robot: {problem}", file=sys.stderr)
        status = _ROBOT_FAILED
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _main()
