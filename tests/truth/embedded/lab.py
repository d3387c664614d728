# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester at an embedded device, and what is read there besides."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from TesterLibrary.errors import Inconclusive
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, RateUnit
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.trial import StreamRun
from tests.acceptance.opened import opened

from ..case import Case

BRIDGE, ROUTER, GATEWAY = "embedded/l2-bridge", "embedded/l3-router", "embedded/l4-gateway"
NEIGHBOURS, IPV6_NEIGHBOURS = "embedded/arp-router", "embedded/nd-router"
_ATTEMPTS = 5  # of a trial: others may have the machine for a while
_PATIENCE = Duration(60 * 10**9)


@dataclass(frozen=True)
class EmbeddedJudge:
    """Makes a case at a device of its testbed."""

    testbed: str
    make: Callable[[random.Random, Lab], Case]

    def __call__(self, draw: random.Random, lab: Lab) -> Case:
        return self.make(draw, lab)


# Each judge has its turn; those that take seconds have fewer.
QUICK: list[EmbeddedJudge] = []
SLOW: list[EmbeddedJudge] = []


def judge_at(
    testbed: str, *, slow: bool = False
) -> Callable[[Callable[[random.Random, Lab], Case]], EmbeddedJudge]:
    """Registers a judge, and says which testbed it needs."""

    def register(make: Callable[[random.Random, Lab], Case]) -> EmbeddedJudge:
        judge = EmbeddedJudge(testbed, make)
        (SLOW if slow else QUICK).append(judge)
        return judge

    return register


class Lab:
    """An open tester."""

    def __init__(self, testbed: str, folder: Path) -> None:
        self.bed = _opened(testbed, folder)
        self.tester = self.bed.tester
        self.tester.rules = replace(self.tester.rules, attempts=_ATTEMPTS)

    def close(self) -> None:
        self.bed.close()

    def inside(self, *command: str, given: str = "") -> str:
        """A program in the namespace of the device, and what it prints."""
        return subprocess.run(
            [*self.bed.testbed.dut_prefix, *command],
            input=given,
            stdout=subprocess.PIPE,
            timeout=60,
            check=True,
            text=True,
        ).stdout

    def north(self, pps: Fraction | int, size: int = 128, **changes: Any) -> Stream:
        rate = Rate(Fraction(pps), RateUnit.PPS)
        return Stream("north", tx="p1", rx="p2", frame_size=FrameSize(size), rate=rate, **changes)

    def sent(
        self, streams: Sequence[Stream], packets: int, begin: Callable[[], object] = lambda: None
    ) -> Trial:
        """Sends so many frames of each stream, again while the tester fell short; calls `begin` first."""

        def attempt(_number: int) -> Trial:
            begin()
            self.tester.evidence.trials += 1
            with StreamRun(self.tester, f"truth-{self.tester.evidence.trials}", streams).loaded() as run:
                run.start(packets=packets)
                self.tester.target.wait([run.name], timeout=_PATIENCE)
                return run.finish()

        return self.tester.rules.repeated(attempt, lambda trial: trial.valid, self.tester.clock)

    @contextmanager
    def rules(self, family: str, text: str) -> Iterator[Rules]:
        """Loads rules of nftables in a table of their own, which is deleted afterwards."""
        table = f"{family} truth"
        self.inside("nft", "-f", "-", given=f"table {table} {{\n{text}\n}}\n")
        try:
            yield Rules(self, table)
        finally:
            self.inside("nft", "delete", "table", *table.split())


def _opened(testbed: str, folder: Path) -> OpenTestbed:
    """Again if its gateway was too slow to answer, on a machine that others have."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(Inconclusive):
            return opened(testbed, folder)
    return opened(testbed, folder)


@dataclass(frozen=True)
class Rules:
    """A table of nftables with named counters."""

    lab: Lab
    table: str

    def reset(self) -> None:
        self.lab.inside("nft", "reset", "counters", "table", *self.table.split())

    def packets(self) -> dict[str, int]:
        """Packets that each counter of the table has counted."""
        shown = self.lab.inside("nft", "-j", "list", "counters", "table", *self.table.split())
        each = (entry["counter"] for entry in json.loads(shown)["nftables"] if "counter" in entry)
        return {counter["name"]: counter["packets"] for counter in each}
