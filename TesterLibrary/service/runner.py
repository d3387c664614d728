# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a job as processes of its own, and ends all of them."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ..campaign import attached
from ..testbeds.python_process import python_command
from ..testbeds.sandbox import JOB_VARIABLE
from .account import Account

LOG = "job.log"
RUN = "run"  # the folder of records and reports
_TESTER = python_command("TesterLibrary.commands.main")
_ASK_S = 15.0  # for a run that is asked to end: it closes the tester, and writes its reports
_KILL_S = 5.0
_SECRETS = ("PGPASSWORD", "TESTER_LEASE")  # of the service, which no job gets


class Running:
    """The processes of a job."""

    def __init__(self, job: str, process: asyncio.subprocess.Process) -> None:
        self._job, self._process = job, process

    @classmethod
    async def start(
        cls,
        job: str,
        folder: Path,
        arguments: Sequence[str],
        more: Mapping[str, str],
        account: Account | None = None,
    ) -> Running:
        """Runs `tester` with these arguments in a folder; what it prints is added to its log.

        `account`: as whom, in place of the user of the service. OSError if that cannot be done.
        """
        environment = {name: value for name, value in os.environ.items() if name not in _SECRETS}
        if account:
            environment = account.environment(folder, environment)
        with (folder / LOG).open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(account.attached if account else attached.begin()),
                *(*_TESTER, *arguments),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
                cwd=folder,
                env={**environment, **more, JOB_VARIABLE: job, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        return cls(job, process)

    async def wait(self) -> int:
        """The status with which it ended, or minus the signal that ended it."""
        return await self._process.wait()

    @property
    def is_over(self) -> bool:
        """Whether it has ended by itself."""
        return self._process.returncode is not None

    async def end(self) -> None:
        """Asks it to end, then kills all its processes. When it returns none is left."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._process.wait(), _ASK_S)
        with suppress(ProcessLookupError):
            self._process.kill()
        await asyncio.to_thread(kill_all, self._job)


def kill_all(job: str) -> None:
    """Kills the processes of a job, also those that have left its session or lost their parent."""
    for _ in range(round(_KILL_S / 0.05)):
        members = list(_members(job))
        if not members:
            return
        for pid in members:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _members(job: str) -> Iterator[int]:
    mark = f"{JOB_VARIABLE}={job}".encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        try:
            environment = (folder / "environ").read_bytes()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:  # it has ended, or is somebody else's
            continue
        if state != "Z" and mark in environment.split(b"\0"):
            yield int(folder.name)
