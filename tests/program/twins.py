# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two switches with the same driver, clock and wire: one fake, one that runs the program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from TesterLibrary.p4.outputs import shipped
from TesterLibrary.targets.tofino.fake import Bridge, MakesPipelines
from TesterLibrary.targets.tofino.fake.digests import Digests
from TesterLibrary.targets.tofino.fake.pace import Pace
from TesterLibrary.targets.tofino.fake.passes import FakePipelines
from TesterLibrary.targets.tofino.fake.replying import Actions
from TesterLibrary.targets.tofino.fake.store import Store
from TesterLibrary.targets.tofino.session.program import Program
from tests.contract.rig import SwitchRig

from .pipelines import DRAWN, runs_program
from .program import P4Program

# Elements of queues, which the fake keeps as a whole. They are compared where they leave: in answers.
_ELEMENTS = tuple(
    f"internal.InternalIngress.queues.{name} "
    for name in (
        *("sources", "destinations", "ports", "seqs", "acks", "links", "peers_high", "peers_low"),
        *("ipv6_addresses.destinations", *(f"ipv6_addresses.sources_{word}" for word in range(4))),
    )
)


class Tap(Bridge):
    """A bridge that keeps what leaves the switch: when, by which port, and its bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[tuple[int, int, str]] = []

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        self.left.append((now_ns, port, frame.hex()))
        return super().forward(port, frame, now_ns, others)


def _fake(folder: Path) -> MakesPipelines:
    built = Program.load(folder)

    def made(store: Store, digests: Digests) -> FakePipelines:
        pace = Pace(store, built.chip.clock)
        return FakePipelines(store, Actions.of(built), digests, pace, lambda: DRAWN)

    return made


class Twins:
    """Does the same with both, and compares them."""

    def __init__(
        self,
        program: P4Program,
        profile: str = "tofino",
        tap: Callable[[], Tap] = Tap,
        built: Path | None = None,
    ) -> None:
        """`built` is the folder of the program; the shipped one, if none is given."""
        self.taps = tap(), tap()
        self.sent: list[tuple[int, int, str]] = []  # all frames that have left
        self.rigs = (
            SwitchRig(self.taps[0], _fake(built or shipped(profile)), profile, built),
            SwitchRig(self.taps[1], runs_program(program), profile, built),
        )

    def both(self, do: Callable[[SwitchRig], Any]) -> None:
        """Does something with both, which has to come to the same."""
        found, expected = (do(rig) for rig in self.rigs)
        assert found == expected
        self.compare()

    def arrive(self, port: int, *frames: bytes) -> None:
        """Frames arrive at a device port of both at once, and do the same."""
        for rig in self.rigs:
            chip = rig.daemon.running.chip
            for octets in frames:
                chip.arrive(port, octets, rig.now_ns)
            rig.pass_time(1e-5)
            rig.daemon.running.chip.run(rig.now_ns)
        self.compare(b" ".join(frames))

    def compare(self, octets: bytes = b"") -> None:
        """Frames that have left, numbers of tables, digests and packets to the driver, one by one."""
        fake, program = (_state(tap, rig) for tap, rig in zip(self.taps, self.rigs, strict=True))
        self.sent += fake["frames"]
        for what, found in fake.items():
            assert found == program[what], f"{what}, after {octets.hex() or 'a job'}"
        assert {what for what in program if not what.startswith(_ELEMENTS)} <= set(fake)


def _state(tap: Tap, rig: SwitchRig) -> dict[str, Any]:
    running = rig.daemon.running
    left, tap.left = tap.left, []
    told = {"frames": left, "digests": running.digests.taken(), "to the driver": list(running.chip.to_cpu)}
    return {**told, **running.store.numbers()}
