# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases on devices in network namespaces of this machine, with the engine as the tester.

The truth is read from the kernel (counters of nftables and queues, `/proc/net/snmp`, the table of neighbours)
or from the log of a forwarder, never from the tester. A tester stays open over many cases: to set it up is
what takes the time.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from ..case import ENGINE, Case
from .lab import QUICK, SLOW, EmbeddedJudge, Lab

for _module in sorted(module.name for module in iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")

_MOST_AT_ONCE = 15  # cases of one open tester: a crash costs no more, and others have their turn


def judge_of(number: int) -> EmbeddedJudge:
    """Two quick ones, then a slow one."""
    turn, place = divmod(number, 3)
    if place == 2:
        return SLOW[turn % len(SLOW)]
    return QUICK[(2 * turn + place) % len(QUICK)]


def case(seed: int, number: int, lab: Lab) -> Case:
    """A case, made from the seed and its number alone, as far as a machine can do the same twice."""
    before = _busy()
    made = judge_of(number)(random.Random(f"{seed} embedded {number}"), lab)
    waited, stolen = (now - then for now, then in zip(_busy(), before, strict=True))
    disturbed = f"programs waited {waited / 1e3:,.0f} ms for a CPU" if waited else ""
    if stolen:
        disturbed = "; ".join(filter(None, (disturbed, f"the hypervisor took {stolen * 10:,} ms")))
    return replace(made, number=number, target=ENGINE, disturbed=disturbed)


def _busy() -> tuple[int, int]:
    """How long programs of this machine have waited for a CPU, in µs, and what was stolen of it, in ticks.

    The first is 0 where the kernel does not say (PSI).
    """
    pressure = Path("/proc/pressure/cpu")
    waited = int(pressure.read_text().splitlines()[0].rpartition("=")[2]) if pressure.exists() else 0
    return waited, int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8])


def batches(numbers: range) -> Iterator[tuple[str, list[int]]]:
    """Cases with the testbed that they need, a few at a time."""
    testbeds = dict.fromkeys(judge_of(number).testbed for number in numbers)
    for testbed in testbeds:
        mine = [number for number in numbers if judge_of(number).testbed == testbed]
        for start in range(0, len(mine), _MOST_AT_ONCE):
            yield testbed, mine[start : start + _MOST_AT_ONCE]


def cases(
    seed: int, numbers: range, alone: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Iterator[Case]:
    """`alone`: entered for each batch, where the machine is shared."""
    for testbed, batch in batches(numbers):
        with ExitStack() as stack:
            stack.enter_context(alone())
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="truth-"))
            lab = stack.enter_context(closing(Lab(testbed, Path(folder))))
            for number in batch:
                yield case(seed, number, lab)
