# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The daemon of a simulated switch: it can be lost and started again, with empty tables."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ....errors import PlanError, TargetError, TesterLibraryError
from ..entries.entry import TableEntry
from ..session.ports import NAMES
from ..session.program import SCHEMA, Program
from ..session.schema import Schema
from ..session.switch import Asked, Digest, PortSetup, PortState, Reading, SwitchGone
from .chip import FakeChip
from .copy_cable import CopyCable
from .cpu_pauses import CpuPauses
from .digests import Digests
from .pace import Pace
from .packet_budget import Haste
from .passes import FakePipelines
from .path_pipelines import PathPipelines
from .pipelines import MakesPipelines, Pipelines
from .replying import Actions
from .store import Store
from .wire import Bridge, Wire

_SEED = 1  # of the random numbers of editors


@dataclass
class Running:
    """The state that a daemon loses when it ends."""

    store: Store
    digests: Digests
    chip: FakeChip[Any]
    ports: dict[int, PortSetup] = field(default_factory=dict)
    told: list[PortState] = field(default_factory=list)
    met_by_macs: Counter[tuple[int, str]] = field(default_factory=Counter)  # by port and name


class FakeDaemon:
    """A switch with one program.

    Args:
        folder: The compiler's outputs of the program; entries are checked by its schema.
        now_ns: Its clock.
        wire: The device between its front-panel ports; a bridge, if left out.
        program: The name of the program in the daemon.
        taken_by: Another client that has the program, or None.
        empty: Device ports without a transceiver.
        has_mac_counters: Whether it has counters of its ports' MACs.
        pipelines: What does with packets what the tables say, if not `FakePipelines`.
        in_time: Whether frames leave when it says so, to devices that are there, and may be late.
        haste: Gives up on what would take too long; None: nothing does.
        pauses: Times in which it had no CPU; None: time waits for it.
    """

    def __init__(
        self,
        folder: Path,
        now_ns: Callable[[], int],
        wire: Wire | None = None,
        *,
        program: str = "tester",
        taken_by: int | None = None,
        empty: Collection[int] = (),
        has_mac_counters: bool = True,
        pipelines: MakesPipelines | None = None,
        in_time: bool = False,
        haste: Haste | None = None,
        pauses: CpuPauses | None = None,
    ) -> None:
        compiled = Program.load(folder)
        self.schema, self._compiled, self.chip = Schema.load(folder / SCHEMA), compiled, compiled.chip
        self._now_ns, self._wire = now_ns, wire or Bridge()
        self.program, self.taken_by, self.empty = program, taken_by, empty
        self.has_mac_counters, self._pipelines, self._in_time = has_mac_counters, pipelines, in_time
        self._haste, self.pauses = haste, pauses
        self.starts, self._gone = 0, ""
        self._running: Running | None = None
        self.start()

    def start(self) -> None:
        """Starts the daemon, with empty tables and no ports."""
        self.starts += 1
        store, digests = Store(self.schema, self._compiled.pipes), Digests()
        pace = Pace(store, self.chip.clock)
        pipelines: Pipelines[Any]
        if self._pipelines is not None:
            pipelines = self._pipelines(store, digests)
        elif self._compiled.has_paths:
            pipelines = PathPipelines(store)
        else:
            draw, actions = Random(_SEED), Actions.of(self._compiled)
            pipelines = FakePipelines(store, actions, digests, pace, lambda: draw.getrandbits(32))
        internal = self._compiled.internal_pipes
        clock = self._now_ns if self._in_time else None
        chip = FakeChip(
            store, pipelines, pace, self._wire, self._now_ns(), self.chip, internal, clock, self._haste
        )
        self._running = Running(store, digests, chip)

    def copy_to(self, device_port: int, sender: socket.socket) -> None:
        """Lays a cable from a port to this machine; what is in its datagrams is sent by a socket."""
        self._wire = CopyCable(self._wire, device_port, sender)
        self.start()

    def stop(self) -> None:
        """Stops the daemon; clients find it gone."""
        self._running = None
        self.taken_by = None

    def set_link(self, device_port: int, *, up: bool) -> None:
        """Pulls the cable of a port, or puts it back."""
        running = self.running
        running.chip.set_link(device_port, up=up)
        running.told.append(PortState(device_port, up=up))

    def arrive(self, device_port: int, frame: bytes, *, waited_ns: int = 0) -> None:
        """Lets a frame arrive at a port of the front panel, if the port is up; it has waited to be seen."""
        running = self.running
        if device_port in running.ports:
            running.chip.arrive(device_port, frame, self._now_ns() - waited_ns)

    def meet(self, device_port: int, name: str, frames: int) -> None:
        """Lets the MAC of a port count frames under this name."""
        self.running.met_by_macs[device_port, name] += frames

    @property
    def running(self) -> Running:
        """The daemon's state, after all events until now. SwitchGone if it was stopped."""
        if self._running is None:
            raise SwitchGone(self._gone or "no switch daemon answers; start bf_switchd on the switch")
        try:
            self._running.chip.run(self._now_ns())
        except SwitchGone as overrun:
            self._running, self._gone = None, overrun.reason
            raise
        return self._running


class FakeSwitch:
    """A `Switch`: a client of a fake daemon."""

    def __init__(self, daemon: FakeDaemon, *, program: str = "tester", client: int = 1) -> None:
        self._daemon, self._program, self._client = daemon, program, client
        self._bound_at = 0
        self._on_loss: tuple[Sequence[TableEntry], Sequence[TableEntry]] = ((), ())

    def bind(self) -> None:
        """See `Switch`."""
        daemon = self._daemon
        daemon.running  # noqa: B018 - gone?
        if daemon.program != self._program:
            raise TargetError(
                f"the switch runs {daemon.program}, not {self._program!r}; start bf_switchd with the program "
                "that `tester p4 build` made, or name the one it runs in the testbed"
            )
        if daemon.taken_by not in (None, self._client):
            raise TargetError(
                f"another client has the program {self._program!r} of the switch: client "
                f"{daemon.taken_by}; end it"
            )
        daemon.taken_by, self._bound_at = self._client, daemon.starts

    def device_port(self, front: str) -> int:
        """See `Switch`. Connector 1 is the first of pipe 0, and pipes have as many as the chip says."""
        chip = self._daemon.chip
        connector, _, lane = front.partition("/")
        number, channel = int(connector) - 1, int(lane or 0)
        if not (0 <= number < chip.pipes * chip.connectors and channel < chip.lanes):
            raise PlanError(f"the switch has no port {front}")
        pipe, in_pipe = divmod(number, chip.connectors)
        return chip.device_port(pipe, in_pipe, channel)

    def set_ports(self, ports: Sequence[PortSetup]) -> None:
        """See `Switch`."""
        running = self._bound
        for port in ports:
            running.ports[port.device_port] = port
            running.chip.set_port(port)
            running.told.append(self._state(port.device_port))

    def remove_ports(self, device_ports: Sequence[int]) -> None:
        """See `Switch`."""
        for port in device_ports:
            self._bound.ports.pop(port, None)
            self._bound.chip.remove_port(port)

    def port_states(self, device_ports: Sequence[int]) -> tuple[PortState, ...]:
        """See `Switch`."""
        missing = [port for port in device_ports if port not in self._bound.ports]
        if missing:
            raise PlanError(f"port {missing[0]} of the switch was not added")
        return tuple(self._state(port) for port in device_ports)

    def changed_ports(self) -> tuple[PortState, ...]:
        """See `Switch`."""
        told, self._bound.told = self._bound.told, []
        return tuple(told)

    def digests(self) -> tuple[Digest, ...]:
        """See `Switch`."""
        return self._bound.digests.taken()

    def take_worst_pause_ns(self) -> int | None:
        """See `Switch`. Where time waits for the chip there are no pauses."""
        pauses = self._daemon.pauses
        return None if pauses is None else pauses.take_worst_ns()

    def write(self, batch: Sequence[TableEntry]) -> None:
        """See `Switch`."""
        running = self._bound
        running.store.write(batch)
        running.chip.changed(entry.table for entry in batch)

    def delete(self, batch: Sequence[TableEntry]) -> None:
        """See `Switch`."""
        running = self._bound
        running.store.delete(batch)
        running.chip.changed(entry.table for entry in batch)

    def clear(self, tables: Iterable[str]) -> None:
        """See `Switch`."""
        running = self._bound
        for name in tables:
            running.store.clear(name)
            running.chip.changed([name])

    def sync(self, tables: Sequence[str]) -> None:
        """See `Switch`. The copy is never old."""
        for name in tables:
            self._bound.store.table(name)

    def read(self, asked: Sequence[Asked], *, from_chip: bool = False) -> list[Reading]:  # noqa: ARG002
        """See `Switch`. The copy is never old."""
        store = self._bound.store
        return [store.read(one) for one in asked]

    def mac_counters(self, device_ports: Sequence[int]) -> list[Reading]:
        """See `Switch`. Simulated frames are not damaged, unless a test says so."""
        met = self._bound.met_by_macs
        if not self._daemon.has_mac_counters:
            return [{} for _ in device_ports]
        return [{name: met[port, name] for name in NAMES.values()} for port in device_ports]

    def set_groups(self, groups: Mapping[int, Sequence[int]]) -> None:
        """See `Switch`."""
        self._bound.chip.groups.update({number: tuple(ports) for number, ports in groups.items()})

    def remove_groups(self, numbers: Sequence[int]) -> None:
        """See `Switch`."""
        for number in numbers:
            self._bound.chip.groups.pop(number, None)

    def set_mirror(self, session: int, device_port: int | None) -> None:
        """See `Switch`."""
        mirrors = self._bound.chip.mirrors
        mirrors.pop(session, None)
        if device_port is not None:
            mirrors[session] = device_port

    def on_loss(self, batch: Sequence[TableEntry], removed: Sequence[TableEntry] = ()) -> None:
        """See `Switch`."""
        self._on_loss = batch, removed

    def send(self, frames: Sequence[bytes]) -> None:
        """See `Switch`."""
        chip = self._bound.chip
        for frame in frames:
            chip.from_cpu(frame)

    def received(self) -> list[bytes]:
        """See `Switch`."""
        chip = self._bound.chip
        frames, chip.to_cpu = chip.to_cpu, []
        return frames

    def close(self) -> None:
        """See `Switch`."""
        for do, batch in zip((self.write, self.delete), self._on_loss, strict=True):
            with suppress(TesterLibraryError):
                if batch:
                    do(batch)
        if self._daemon.taken_by == self._client:
            self._daemon.taken_by = None

    @property
    def _bound(self) -> Running:
        running = self._daemon.running
        if self._bound_at != self._daemon.starts:
            raise SwitchGone("the switch daemon was started again; it knows nothing of this client")
        return running

    def _state(self, port: int) -> PortState:
        empty = port in self._daemon.empty
        up = not empty and port not in self._bound.chip.unlinked
        return PortState(port, up=up, medium="none" if empty else "copper")
