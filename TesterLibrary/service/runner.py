# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a job as processes of its own, hears their status, and ends all of them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

from ..campaign import attached
from ..campaign.child_status import Event, StatusReader
from ..testbeds.python_process import python_command
from ..testbeds.sandbox import JOB_VARIABLE
from .account import Account

LOG = "job.log"
RUN = "run"  # the folder of records and reports
_TESTER = python_command("TesterLibrary.commands.main")
_ASK_S = 15.0  # for a run that is asked to end: it closes the tester, and writes its reports
_KILL_S = 5.0
_DRAIN_S = 1.0  # for the rest of the status, which processes that are left may hold open
_SECRETS = ("PGPASSWORD", "TESTER_LEASE")  # of the service, which no job gets


class _StatusPipe(asyncio.Protocol):
    """The end of a pipe at which the status of a child is read."""

    _transport: asyncio.ReadTransport

    def __init__(self, reader: StatusReader) -> None:
        self._reader = reader
        self._closed = asyncio.Event()

    async def opened(self) -> IO[bytes]:
        """The other end, for the child."""
        reading, writing = map(os.fdopen, os.pipe(), ("rb", "wb"), (0, 0))
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.connect_read_pipe(lambda: self, reading)
        return writing

    def data_received(self, data: bytes) -> None:
        """Events, or parts of them."""
        if not self._reader.feed(data):
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        """The child, and all that have the pipe from it, have ended."""
        self._closed.set()

    async def drained(self) -> None:
        """Returns once all is read."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._closed.wait(), _DRAIN_S)


def _log_ignored(job: str, reason: str) -> None:
    print(f"tester serve: status of {job} ignored: {reason}", file=sys.stderr, flush=True)


class Running:
    """The processes of a job."""

    def __init__(self, job: str, process: asyncio.subprocess.Process, status: _StatusPipe) -> None:
        self._job, self._process, self._status = job, process, status

    @classmethod
    async def start(
        cls,
        job: str,
        folder: Path,
        arguments: Sequence[str],
        more: Mapping[str, str],
        account: Account | None = None,
        heard: Callable[[Event], None] = lambda _: None,
    ) -> Running:
        """Runs `tester` with these arguments in a folder; what it prints is added to its log.

        Args:
            job: Marks all its processes.
            folder: Where it runs.
            arguments: Of `tester`.
            more: Variables of its environment.
            account: The user as whom it runs, in place of that of the service.
            heard: Is called with each event of its status.

        Raises:
            OSError: It cannot be run.
        """
        environment = {name: value for name, value in os.environ.items() if name not in _SECRETS}
        if account:
            environment = account.environment(folder, environment)
        status = _StatusPipe(StatusReader(heard, partial(_log_ignored, job)))
        with (folder / LOG).open("ab") as log, await status.opened() as told:
            process = await asyncio.create_subprocess_exec(
                *(account.attached if account else attached.begin()),
                *(*_TESTER, "--status-fd", str(told.fileno()), *arguments),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
                cwd=folder,
                env={**environment, **more, JOB_VARIABLE: job, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
                pass_fds=(told.fileno(),),
            )
        return cls(job, process, status)

    async def wait(self) -> int:
        """The status with which it ended, or minus the signal that ended it. All events are heard then."""
        status = await self._process.wait()
        await self._status.drained()
        return status

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
        await self._status.drained()


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
