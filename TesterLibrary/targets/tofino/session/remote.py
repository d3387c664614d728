# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives a switch through a process that speaks to it: the vendor's client, or a fake switch.

The vendor's client needs library versions that would conflict with ours, so it runs in a separate process.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ....errors import TargetError
from ....model.units.units import Duration
from ....testbeds.processes import piped
from ..entries.entry import TableEntry
from .pipe_messages import entry_words, error_of, key_words
from .switch import Asked, Digest, PortSetup, PortState, Reading, SwitchGone

_PATIENCE = Duration(60 * 10**9)
_LAST_LINES = 4
_STEP_S = 2.0


class RemoteSwitch:
    """A `Switch` behind the pipes of a process, which ends with this one.

    Threads may share it: a request waits until the one before it has its answer.

    Args:
        command: The process. It takes requests on its standard input; `words.py` defines its answers.
        environment: Variables for the process, in addition to ours.
        patience: How long an answer may take.
        inherited: Open files that it gets.
        at_end: Called when it is closed.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        patience: Duration = _PATIENCE,
        inherited: Sequence[int] = (),
        at_end: Callable[[], object] | None = None,
    ) -> None:
        self._at_end = at_end
        self._patience = patience
        self._asking = threading.Lock()  # an answer belongs to the request before it
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - its standard error
        self._rest = b""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env={**os.environ, **(environment or {})},
                bufsize=0,
                pass_fds=inherited,
                start_new_session=True,  # interrupts of this process must not end it before its last requests
            )
        except OSError as problem:
            raise TargetError(f"{command[0]} cannot be started: {problem}") from problem
        atexit.register(self.close)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def bind(self) -> None:
        """See `Switch`."""
        self._ask("bind")

    def device_port(self, front: str) -> int:
        """See `Switch`."""
        return int(self._ask("device_port", front=front))

    def set_ports(self, ports: Sequence[PortSetup]) -> None:
        """See `Switch`."""
        self._ask("set_ports", ports=[asdict(port) for port in ports])

    def remove_ports(self, device_ports: Sequence[int]) -> None:
        """See `Switch`."""
        self._ask("remove_ports", device_ports=list(device_ports))

    def port_states(self, device_ports: Sequence[int]) -> tuple[PortState, ...]:
        """See `Switch`."""
        return _states(self._ask("port_states", device_ports=list(device_ports)))

    def changed_ports(self) -> tuple[PortState, ...]:
        """See `Switch`."""
        return _states(self._ask("changed_ports"))

    def digests(self) -> tuple[Digest, ...]:
        """See `Switch`."""
        return tuple(Digest(**words) for words in self._ask("digests"))

    def take_worst_pause_ns(self) -> int | None:
        """See `Switch`."""
        worst_ns = self._ask("take_worst_pause_ns")
        return None if worst_ns is None else int(worst_ns)

    def write(self, batch: Sequence[TableEntry]) -> None:
        """See `Switch`."""
        self._ask("write", batch=[entry_words(entry) for entry in batch])

    def delete(self, batch: Sequence[TableEntry]) -> None:
        """See `Switch`."""
        self._ask("delete", batch=[entry_words(entry) for entry in batch])

    def clear(self, tables: Iterable[str]) -> None:
        """See `Switch`."""
        self._ask("clear", tables=list(tables))

    def sync(self, tables: Sequence[str]) -> None:
        """See `Switch`."""
        self._ask("sync", tables=list(tables))

    def read(self, asked: Sequence[Asked], *, from_chip: bool = False) -> list[Reading]:
        """See `Switch`."""
        words = [{"table": one.table, "key": key_words(one.key)} for one in asked]
        found: list[Reading] = self._ask("read", asked=words, from_chip=from_chip)
        return found

    def mac_counters(self, device_ports: Sequence[int]) -> list[Reading]:
        """See `Switch`."""
        found: list[Reading] = self._ask("mac_counters", device_ports=list(device_ports))
        return found

    def set_groups(self, groups: Mapping[int, Sequence[int]]) -> None:
        """See `Switch`."""
        self._ask("set_groups", groups=[[number, list(ports)] for number, ports in groups.items()])

    def remove_groups(self, numbers: Sequence[int]) -> None:
        """See `Switch`."""
        self._ask("remove_groups", numbers=list(numbers))

    def set_mirror(self, session: int, device_port: int | None) -> None:
        """See `Switch`."""
        self._ask("set_mirror", session=session, device_port=device_port)

    def on_loss(self, batch: Sequence[TableEntry], removed: Sequence[TableEntry] = ()) -> None:
        """See `Switch`. If this process is killed, the other one sees that its pipe is closed."""
        written, deleted = ([entry_words(entry) for entry in entries] for entries in (batch, removed))
        self._ask("on_loss", batch=written, removed=deleted)

    def send(self, frames: Sequence[bytes]) -> None:
        """See `Switch`."""
        self._ask("send", frames=[frame.hex() for frame in frames])

    def received(self) -> list[bytes]:
        """See `Switch`."""
        return [bytes.fromhex(frame) for frame in self._ask("received")]

    def close(self) -> None:
        """See `Switch`."""
        atexit.unregister(self.close)
        with suppress(OSError, ValueError):
            if self._process.stdin:
                self._process.stdin.close()  # this tells it to release the program and to end
        for end in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(_STEP_S)
            except subprocess.TimeoutExpired:
                end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STEP_S)
        if self._process.stdout:
            self._process.stdout.close()
        self._said.close()
        if self._at_end is not None:
            self._at_end()

    def _ask(self, do: str, **given: Any) -> Any:
        request = json.dumps({"do": do, **given}).encode() + b"\n"
        with self._asking:
            try:
                _write(self._process, request)
                answer = json.loads(self._line(do))
            except (OSError, ValueError) as problem:
                raise SwitchGone(self._obituary(problem)) from None
        if "error" in answer:
            raise error_of(answer)
        return answer["done"]

    def _line(self, do: str) -> bytes:
        output = piped(self._process.stdout).fileno()
        while b"\n" not in self._rest:
            if not select.select([output], [], [], self._patience.seconds)[0]:
                self._process.kill()  # a later answer would be taken for the answer to another request
                raise TargetError(f"the switch's client did not answer {do} within {self._patience}")
            octets = os.read(output, 1 << 20)
            if not octets:
                raise BrokenPipeError(f"its pipe was closed when it was asked to {do}")
            self._rest += octets
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _obituary(self, problem: Exception) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STEP_S)
        lines: list[str] = []
        with suppress(ValueError):  # closed
            self._said.seek(0)
            lines = self._said.read().decode(errors="replace").splitlines()[-_LAST_LINES:]
        said = f"; it said last: {' / '.join(lines)}" if lines else ""
        status = self._process.poll()
        how = "" if status is None else f", status {status}"
        return f"the process that speaks to the switch is gone ({problem}{how}){said}"


def _states(words: Iterable[Mapping[str, Any]]) -> tuple[PortState, ...]:
    return tuple(PortState(**word) for word in words)


def _write(process: subprocess.Popen[bytes], octets: bytes) -> None:
    requests, view = piped(process.stdin), memoryview(octets)
    while view:
        view = view[requests.write(view) or 0 :]
