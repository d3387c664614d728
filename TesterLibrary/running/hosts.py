# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hosts at the ends of a testbed: programs that run there, and what their kernels count."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO

from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from ..errors import TestbedError, TesterLibraryError, did_you_mean
from ..model.units.units import Duration
from ..reporting.record.durable import RecordError
from ..testbeds import RunningTestbed
from ..testbeds.sandbox import JOB_VARIABLE
from .counter_source import CounterSource, source_of

_GRACE_S = 2.0  # for a program to end when it is asked to
_MOST_WORDS = 300  # of what a program that failed has said
KERNEL = "nstat"  # the source that is read of every host
_READ_TIMEOUT = Duration(10**10)
# By host and what a suite calls the source: its counters, or why they could not be read.
_Readings = dict[tuple[str, str], Mapping[str, int] | str]


@dataclass(frozen=True)
class ProgramResult:
    """A program that has ended on a host."""

    status: int  # its exit status
    stdout: str
    stderr: str

    def __str__(self) -> str:
        return f"ended with status {self.status}"


@dataclass
class HostProgram:
    """A program that was started on a host."""

    host: str
    words: Sequence[str]
    process: subprocess.Popen[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def end(self) -> ProgramResult:
        """Ends it, if it has not ended by itself: it is asked to, and then made to."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is not None:
                break
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_GRACE_S)
        said = []
        for output in (self.stdout, self.stderr):
            output.seek(0)
            said.append(output.read().decode(errors="replace"))
            output.close()
        return ProgramResult(self.process.wait(), *said)


def shared_folder() -> Path | None:
    """The folder of the suite that runs, whose files programs in an embedded device and its hosts may read.

    None where no suite runs, and for a job of `tester serve`, whose suites are given texts by strangers.
    """
    if JOB_VARIABLE in os.environ:
        return None
    try:
        source = BuiltIn().get_variable_value("${SUITE SOURCE}")
    except RobotNotRunningError:
        return None
    if not source:
        return None
    path = Path(source)
    return path if path.is_dir() else path.parent


class Hosts:
    """The hosts of one testbed, by name. What programs say there is kept in `folder`, a file for each."""

    def __init__(self, testbed: RunningTestbed | None, folder: Path) -> None:
        self._testbed = testbed
        self._folder = folder
        self._watched: dict[tuple[str, str], CounterSource] = {}  # by host, and what a suite calls it
        self._marked: _Readings = {}
        self._settled: _Readings = {}  # the same once paths had been started
        self._ended: dict[str, _Readings] = {}  # the same before a trace ended, by the name of its path
        self._running: dict[str, HostProgram] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hosts; none, where the testbed has no hosts."""
        return self._testbed.hosts if self._testbed else ()

    def run(
        self, host: str, command: str, arguments: Sequence[str] = (), *, status: int, timeout: Duration
    ) -> ProgramResult:
        """Runs a program on a host and waits for its end.

        Args:
            host: The host.
            command: The program. Without `arguments` it is split into words, as by a shell.
            arguments: Its arguments, each a word.
            status: The exit status that it must end with.
            timeout: How long it may take.

        Raises:
            TesterLibraryError: there is no such host or program; it did not end in time, or as it was to.
        """
        words = _words(command, arguments)
        placed = self._testbed_of(host).host_command(host, words)
        return self._ran(placed, words, host, f"on host {host}", status, timeout)

    def run_in_device(
        self, command: str, arguments: Sequence[str] = (), *, status: int, timeout: Duration
    ) -> ProgramResult:
        """Runs a program in the device under test and waits for its end; arguments as of `run`.

        Raises:
            TesterLibraryError: no program can be run there; it did not end in time, or as it was to.
        """
        if self._testbed is None:
            raise TestbedError("the testbed has no device in which a program can be run")
        words = _words(command, arguments)
        return self._ran(
            self._testbed.device_command(words), words, "device", "in the device", status, timeout
        )

    def _ran(
        self, placed: list[str], words: list[str], place: str, where: str, status: int, timeout: Duration
    ) -> ProgramResult:
        command = shlex.join(words)
        try:
            done = self._run(placed, timeout)
        except subprocess.TimeoutExpired as late:
            self._keep(place, words, None, late.stdout, late.stderr)
            raise TesterLibraryError(f"{command!r} {where} has not ended within {timeout}") from None
        except OSError as problem:
            raise TesterLibraryError(f"{command!r} {where}: {problem.strerror}") from None
        self._keep(place, words, done.status, done.stdout, done.stderr)
        if done.status != status:
            said = " ".join((done.stderr or done.stdout).split())[-_MOST_WORDS:]
            raise TesterLibraryError(
                f"{command!r} {where} ended with status {done.status}, not {status}: "
                f"{said or 'it said nothing'}"
            )
        return done

    def start(self, host: str, command: str, name: str, arguments: Sequence[str] = ()) -> None:
        """Starts a program that runs until it is stopped, or ends by itself; arguments as of `run`.

        Raises:
            TesterLibraryError: there is no such host or program, or one of that name runs.
        """
        if name in self._running:
            raise TesterLibraryError(f"a program {name!r} runs already; stop it first, or give another name")
        words = _words(command, arguments)
        placed = self._placed(self._testbed_of(host).host_command(host, words, terminal=True))
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        try:
            process = subprocess.Popen(
                placed,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as problem:
            raise TesterLibraryError(f"{shlex.join(words)!r} on host {host}: {problem.strerror}") from None
        self._running[name] = HostProgram(host, words, process, out, err)

    def stop(self, name: str, *, wait: Duration | None = None) -> ProgramResult:
        """Ends a program that was started, and returns what it said; `wait`: it has that long to end.

        Raises:
            TesterLibraryError: there is none of that name, or it did not end by itself in time.
        """
        if name not in self._running:
            known = ", ".join(self._running)
            hint = f"there are {known}" if known else "call Start On Host"
            raise TesterLibraryError(f"no program {name!r} runs on a host; {hint}")
        program = self._running.pop(name)
        late = False
        if wait is not None:
            try:
                program.process.wait(wait.seconds)
            except subprocess.TimeoutExpired:
                late = True
        done = program.end()
        self._keep(program.host, program.words, done.status, done.stdout, done.stderr)
        if late:
            raise TesterLibraryError(
                f"{shlex.join(program.words)!r} on host {program.host} has not ended within {wait}"
            )
        return done

    def end(self, name: str) -> str:
        """Ends a program, if it runs. Never raises."""
        if name in self._running:
            self.stop(name)
        return ""

    def close(self) -> None:
        """Ends all programs."""
        for name in tuple(self._running):
            self.end(name)

    def _keep(self, host: str, words: Sequence[str], status: int | None, *said: bytes | str | None) -> None:
        """Writes what a program said into a file of its own."""
        how = "did not end" if status is None else f"ended with status {status}"
        text = "".join(
            part.decode(errors="replace") if isinstance(part, bytes) else part or "" for part in said
        )
        program = Path(words[0]).name
        names = (self._folder / f"{number:03}-{host}-{program}.log" for number in count(1))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            file = next(name for name in names if not any(self._folder.glob(f"{name.name[:3]}-*")))
            file.write_text(f"$ {shlex.join(words)}\n{text}\n{how}\n", encoding="utf-8")
        except OSError as problem:
            raise RecordError(self._folder, problem) from None

    def counters(self, host: str) -> Mapping[str, int]:
        """The counters of a host's kernel (SNMP and Linux's own) since `mark`, by nstat's names.

        Raises:
            TesterLibraryError: they cannot be read.
        """
        since = self._marked.get((host, KERNEL), {})
        if isinstance(since, str):
            raise TesterLibraryError(since)
        now = self._read(host, source_of(KERNEL))
        if isinstance(now, str):
            raise TesterLibraryError(now)
        return {name: value - _before(since, name) for name, value in now.items()}

    def watch(self, host: str, source: str, arguments: Sequence[str] = ()) -> str:
        """Has a source of counters read by every `mark`; arguments as of `run`. Returns its name.

        Raises:
            TesterLibraryError: there is no such host, or the source is none.
        """
        self._testbed_of(host).host_command(host, ["true"])
        name = shlex.join(_words(source, arguments) if arguments else _split(source))
        self._watched[host, name] = source_of(name)
        return name

    def unwatch(self, host: str, source: str) -> str:
        """Ends that, if it goes on. Never raises."""
        self._watched.pop((host, source), None)
        return ""

    def counter(self, host: str, source: str, name: str) -> int | str:
        """A counter of a source that is watched, since `mark`; or why nobody knows it.

        Raises:
            TesterLibraryError: the source was not read when counting began.
        """
        source = shlex.join(_split(source))
        since = self._marked.get((host, source))
        if since is None:
            raise TesterLibraryError(
                f"{source!r} of host {host} was not read at Start Path; call Set Counter Source before it"
            )
        if isinstance(since, str):
            return since
        now = self._read(host, source_of(source))
        if isinstance(now, str):
            return now
        if name not in now:
            return f"{source!r} of host {host} has no counter {name!r}{did_you_mean(name, list(now))}"
        before = _before(since, name)
        if now[name] < before:
            return f"{name} of {source!r} on host {host} went back from {before:,} to {now[name]:,}"
        return now[name] - before

    def mark(self) -> None:
        """Counts from here on."""
        kernels = {(host, KERNEL): source_of(KERNEL) for host in self.names}
        self._marked = {
            (host, name): self._read(host, source)
            for (host, name), source in (kernels | self._watched).items()
        }
        self._settled, self._ended = {}, {}

    def settle(self) -> None:
        """Has `moved` look at what was counted between `mark` and now, when no path forwarded yet."""
        self._settled = self._read_again()

    def trace_ends(self, path: str) -> None:
        """Has `moved` look at what is counted from now on, when a path is traced no more. Once for a path."""
        if path not in self._ended:
            self._ended[path] = self._read_again()

    def moved(self, host: str, source: str, name: str, value: int | str, path: str) -> str:
        """Why a counter that was read has more in it than the trace of a path can have; empty if it has not.

        Args:
            host: The host.
            source: What a suite calls the source.
            name: The counter.
            value: What it has counted since `mark`, or why nobody knows.
            path: The path that was traced.
        """
        source = shlex.join(_split(source))
        since = self._marked.get((host, source), {})
        if isinstance(value, str) or isinstance(since, str):
            return ""
        now = since.get(name, 0) + value
        for begin, end, when in (
            (since.get(name, 0), self._at(self._settled, host, source, name), "while paths were started"),
            (self._at(self._ended.get(path, {}), host, source, name), now, "after the trace had ended"),
        ):
            if begin is not None and end is not None and begin != end:
                return f"{end - begin:,} of {name} of {host} were counted {when}"
        return ""

    def _at(self, readings: _Readings, host: str, source: str, name: str) -> int | None:
        found = readings.get((host, source), "")
        return None if isinstance(found, str) else found.get(name)

    def _read_again(self) -> _Readings:
        return {(host, name): self._read(host, source_of(name)) for host, name in self._marked}

    def _read(self, host: str, source: CounterSource) -> Mapping[str, int] | str:
        """The counters that a source prints, or why it prints none."""
        what = f"{shlex.join(source.words)} on host {host}"
        try:
            words = self._testbed_of(host).host_command(host, list(source.words))
            done = self._run(words, _READ_TIMEOUT)
            if done.status:
                return f"{what} {done}: {' '.join((done.stderr or done.stdout).split())[-_MOST_WORDS:]}"
            return source.read(done.stdout)
        except subprocess.TimeoutExpired:
            return f"{what} has not ended within {_READ_TIMEOUT}"
        except OSError as problem:
            return f"{what}: {problem.strerror}"
        except ValueError as problem:
            return f"{what} printed what is no counters ({problem})"

    def _run(self, words: list[str], timeout: Duration) -> ProgramResult:
        done = subprocess.run(
            self._placed(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout.seconds,
            check=False,
        )
        return ProgramResult(done.returncode, done.stdout, done.stderr)

    def _testbed_of(self, host: str) -> RunningTestbed:
        if self._testbed is None:
            raise TestbedError(f"there is no host {host!r}: the testbed has none")
        return self._testbed

    def _placed(self, words: list[str]) -> list[str]:
        """Has a program run on the device's CPU: the tester's is busy with forwarding.

        By a program, as nothing of this process may run in its child: gRPC would start its threads there.
        """
        cpu = self._testbed.dut_cpu if self._testbed else None
        return words if cpu is None else ["taskset", "--cpu-list", str(cpu), *words]


def _before(since: Mapping[str, int] | str, name: str) -> int:
    return 0 if isinstance(since, str) else since.get(name, 0)


def _words(command: str, arguments: Sequence[str]) -> list[str]:
    words = [command, *arguments] if arguments else _split(command)
    if not words or not words[0]:
        raise TesterLibraryError("no command; give a program with its arguments")
    return words


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as problem:
        raise TesterLibraryError(
            f"{command!r} cannot be split into words: {problem}; quote it as in a shell"
        ) from None
