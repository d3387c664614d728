# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine's responder behind the interface of the interpreter, as a process that is talked to."""

from __future__ import annotations

import os
import subprocess
import tempfile
import weakref
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from TesterLibrary._generated.tester.v1 import responder_pb2
from TesterLibrary.model.protocol import Protocol
from TesterLibrary.planning.engine.table import flat_table
from TesterLibrary.protocols.document_reader import quantity
from TesterLibrary.protocols.scope import layout_of
from tools import engine

_PROGRAM = "src/responder_dialogue"


@cache
def program() -> Path | None:
    """The engine's part, built; None where the engine has never been. CI builds it in any case."""
    is_wanted = engine.is_within_reach(_PROGRAM) or "CI" in os.environ
    return engine.program(_PROGRAM) if engine.TARGET.is_file() and is_wanted else None


class EngineMachine:
    """The engine in place of `protocols.interpreter.Interpreter`. A shipped table runs as its made code."""

    options: tuple[str, ...] = ()

    def __init__(
        self, protocol: Protocol, parameters: Mapping[str, object] | None = None, *, seed: int = 1
    ) -> None:
        self.protocol = protocol
        self.now = 0
        self._flat = flat_table(protocol, parameters)
        keeps = len(protocol.layers[0].states) > 1
        message = responder_pb2.Responder(
            name=protocol.name,
            port="p1",
            protocol=self._flat.message,
            seed=seed,
            flow_capacity=1000 if keeps else 0,
        )
        found = program()
        assert found is not None
        with tempfile.NamedTemporaryFile() as file:
            Path(file.name).write_bytes(message.SerializeToString())
            self._process = subprocess.Popen(
                [found, *self.options, file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self._sent: list[bytes] = []
            self._ask("report")
        weakref.finalize(self, _end, self._process)

    def receive(self, octets: bytes, now: int) -> list[bytes]:
        self.now = now
        self._ask(f"receive {now} {octets.hex()}")
        return self.sent()

    def start(self, fields: Mapping[str, object], now: int) -> list[bytes]:
        self.now = now
        values = {name: quantity(value) for name, value in fields.items()}
        key = b""
        for pair in self.protocol.layers[0].flow:
            for index, name in enumerate(pair):
                bits = layout_of(self.protocol.stack).places[name].bits
                other = pair[1 - index] if len(pair) == 2 else name
                key += values[other].to_bytes((bits + 7) // 8, "big")
        link = b"".join(values[name].to_bytes(6, "big") for name in ("Ether.dst", "Ether.src"))
        self._ask(f"start {now} {key.hex()} {link.hex()}")
        return self.sent()

    def stop(self, now: int) -> list[bytes]:
        self.now = now
        self._ask(f"stop {now}")
        return self.sent()

    def advance(self, now: int) -> None:
        self.now = now
        self._ask(f"advance {now}")

    def poll(self, now: int) -> list[bytes]:
        """Runs due timers as a worker does between two polls of its port."""
        self.now = now
        self._ask(f"poll {now}")
        return self.sent()

    def sent(self) -> list[bytes]:
        frames, self._sent = self._sent, []
        return frames

    @property
    def counters(self) -> Counter[str]:
        """Counters by name, over all tables."""
        found: Counter[str] = Counter()
        for kind, name, *rest in self._ask("report"):
            if kind == "count":
                found[name.rpartition(".")[2]] += int(rest[0])
        return found

    @property
    def code(self) -> str | None:
        """Name of the shipped table whose code runs; None: the table is interpreted."""
        return next((name for kind, name, *_ in self._ask("report") if kind == "code"), None)

    @property
    def flows(self) -> dict[str, str]:
        """The 64 bytes of each and which timers run, by its key."""
        return {key: " ".join(rest) for kind, key, *rest in self._ask("report") if kind == "flow"}

    @property
    def histograms(self) -> dict[str, list[int]]:
        """The sums of those that have any."""
        found = (line for line in self._ask("report") if line[0] == "histogram")
        return {name.rpartition(".")[2]: [int(total)] for _, name, total in found if int(total)}

    def variables(self) -> dict[str, dict[str, int]]:
        """Variables of each flow, by table and name, with the timers that run."""
        places = self._flat.message["registers"]
        timers = [timer["register"] for table in self._flat.message["tables"] for timer in table["timers"]]
        found = {}
        for key, kept in self.flows.items():
            words, running = kept.split()
            whole = int.from_bytes(bytes.fromhex(words), "little")
            stopped = {reg for index, reg in enumerate(timers) if not int(running) >> index & 1}
            found[key] = {
                name: whole >> places[index]["offset"] & (1 << places[index]["bits"]) - 1
                for name, index in self._flat.registers.items()
                if index not in stopped
            }
        return found

    def next_timer(self) -> int | None:
        timers = {
            f"{table} {name}" for table, layer in enumerate(self.protocol.layers) for name in layer.timers
        }
        due = [
            self.now + ((value - self.now + (1 << 31)) % (1 << 32) - (1 << 31))
            for values in self.variables().values()
            for name, value in values.items()
            if name in timers
        ]
        return min(due, default=None)

    def _ask(self, line: str) -> list[list[str]]:
        """The answer, without its frames."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        answer = []
        while (said := self._process.stdout.readline().split()) != ["."]:
            assert said, f"it ended after {line!r}"
            if said[0] == "frame":
                self._sent.append(bytes.fromhex(said[1]))
            else:
                answer.append(said)
        return answer


class InterpretingEngine(EngineMachine):
    """The same with the table itself, as for tables that are not shipped."""

    options = ("--interpret",)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
