# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of a campaign: which cell is run on which tester next. Pure: it starts nothing.

A cell is a suite on a testbed, in one repetition. It is started in the order of the file as soon as a tester
that fits is free, and so is everything else that it takes. What a tester has not finished is run elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MOST_ATTEMPTS = 3  # at a cell
_MOST_FAULTS = 3  # of a tester in a row, each with another cell: then it gets no more


@dataclass(frozen=True)
class Cell:
    """A suite on a testbed in one repetition: what a tester runs at a time."""

    name: str  # that of its folder
    places: Mapping[str, frozenset[str]]  # testers that fit, each with what is taken beside it


@dataclass
class _Progress:
    tester: str = ""  # where it is run; empty: it is not
    tried: list[str] = field(default_factory=list)  # testers that have not finished it
    reasons: list[str] = field(default_factory=list)
    ended: bool = False


class Schedule:
    """The cells of a campaign and the testers that are there. Each cell ends once."""

    def __init__(self, cells: Sequence[Cell], *, most_attempts: int = MOST_ATTEMPTS) -> None:
        self._cells = {cell.name: cell for cell in cells}
        self._progress = {cell.name: _Progress() for cell in cells}
        self._most_attempts = most_attempts
        self._faults: dict[str, set[str]] = {}  # cells that a tester has not finished, since it finished one
        self.left: dict[str, str] = {}  # testers that get no more cells, with the reason
        self.given_up: dict[str, str] = {}  # cells, with the reason

    @property
    def is_over(self) -> bool:
        """Whether no cell waits or is run."""
        return all(progress.ended for progress in self._progress.values())

    @property
    def running(self) -> dict[str, str]:
        """The tester of each cell that is run."""
        return {name: progress.tester for name, progress in self._progress.items() if progress.tester}

    @property
    def waiting(self) -> list[str]:
        """The cells that are neither run nor over, in the order of the file."""
        return [name for name, each in self._progress.items() if not each.ended and not each.tester]

    def attempts(self, cell: str) -> int:
        """How often a cell was not finished."""
        return len(self._progress[cell].tried)

    def wanted(self) -> list[str]:
        """The testers that would get a cell now, if they were there."""
        return list(dict.fromkeys(tester for _, tester in self._possible(None)))

    def starts(self, here: Collection[str] | None = None) -> list[tuple[str, str]]:
        """The cells that begin now, each with its tester. `here`: testers that can; left out, all can."""
        started = []
        while (found := next(self._possible(here), None)) is not None:
            cell, tester = found
            self._progress[cell].tester = tester
            started.append(found)
        return started

    def _possible(self, here: Collection[str] | None) -> Iterator[tuple[str, str]]:
        """Cells that could begin, the first one of the file first, each with its best testers first."""
        busy = set(self.running.values())
        taken = {held for name, tester in self.running.items() for held in self._cells[name].places[tester]}
        use: dict[str, int] = {}
        for name in self.waiting:
            for tester in self._cells[name].places:
                use[tester] = use.get(tester, 0) + 1
        for name in self.waiting:
            usable = self._usable(name)
            free = [
                tester
                for tester in usable
                if tester not in busy
                and (here is None or tester in here)
                and taken.isdisjoint(self._cells[name].places[tester])
            ]
            for tester in sorted(free, key=lambda tester: use[tester]):  # who can do least comes first
                yield name, tester

    def _usable(self, cell: str) -> list[str]:
        """The testers that may have a cell: those that have not tried it, as long as there are any."""
        there = [tester for tester in self._cells[cell].places if tester not in self.left]
        tried = self._progress[cell].tried
        return [tester for tester in there if tester not in tried] or there

    def done(self, cell: str) -> None:
        """A cell that was run is finished."""
        progress = self._progress[cell]
        self._faults.pop(progress.tester, None)
        progress.tester, progress.ended = "", True

    def skip(self, cell: str) -> None:
        """A cell that waits is not run."""
        self._progress[cell].ended = True

    def fault(self, cell: str, reason: str) -> None:
        """The tester of a cell, or what it needs, has failed: the cell is run elsewhere, or given up."""
        progress = self._progress[cell]
        tester, progress.tester = progress.tester, ""
        progress.tried.append(tester)
        progress.reasons.append(f"{tester}: {reason}")
        faults = self._faults.setdefault(tester, set())
        faults.add(cell)
        if len(progress.tried) >= self._most_attempts:
            self._give_up(cell, f"it was tried {len(progress.tried)} times")
        if len(faults) >= _MOST_FAULTS:
            self.leave(
                tester, f"it did not finish {len(faults)} cells in a row, the last one because {reason}"
            )

    def leave(self, tester: str, reason: str) -> None:
        """A tester gets no more cells. Those that no other one can run are given up; what it runs goes on."""
        self.left.setdefault(tester, reason)
        for name in self.waiting:
            if not self._usable(name):
                self._give_up(name, "no tester that could run it is left")

    def _give_up(self, cell: str, why: str) -> None:
        progress = self._progress[cell]
        progress.ended = True
        gone = [
            f"{tester}: {self.left[tester]}" for tester in self._cells[cell].places if tester in self.left
        ]
        self.given_up[cell] = "; ".join(dict.fromkeys([why, *progress.reasons, *gone]))
