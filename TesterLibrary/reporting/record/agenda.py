# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests that a certification is going to run: known before the first one, so that progress and reports
can tell which are still missing."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import TesterLibraryError
from .codec import decode, encode, parse
from .durable import write_json
from .long_name import below_testbed

FILE = "agenda.json"
SUITE = "suite"  # among the expected times of a profile: to open the tester for a suite, and to close it


@dataclass(frozen=True)
class Item:
    """One test that is to run."""

    testbed: str
    suite: str  # Robot's long name
    test: str
    expected_s: float = 0  # from the profile; 0 where it does not say
    name: str = ""  # before Robot replaces its variables; empty: the same as `test`
    source: str = ""  # the test in the suite's file from which a listener has made it; empty: itself

    @property
    def written(self) -> str:
        """The name of the test in Robot's running suite."""
        return self.name or self.test

    @property
    def chosen(self) -> str:
        """The name by which Robot chooses the test: that in the suite's file."""
        return self.source or self.written

    @property
    def alike(self) -> tuple[str, str, str]:
        """The same for all repetitions of a test: each has another name of the outermost suite."""
        return self.testbed, below_testbed(self.suite, self.testbed), self.test


@dataclass(frozen=True)
class Agenda:
    """All tests of a certification in their order."""

    title: str
    items: tuple[Item, ...]
    suite_s: float = 0  # to open the tester for a suite, and to close it, beside its tests
    planned: tuple[Item, ...] = ()  # as the files of the suites had them; empty: Robot has made no others

    @property
    def plan(self) -> tuple[Item, ...]:
        """The tests as the files of the suites have them."""
        return self.planned or self.items

    def made_of(self, item: Item) -> tuple[Item, ...]:
        """The tests that Robot runs for one in the suite's file: several of a template, or none."""
        key = (item.suite, item.chosen)
        if all((i.suite, i.chosen) != key for i in self.plan):
            return (item,)  # it was not to be run here
        return tuple(i for i in self.items if (i.suite, i.chosen) == key)

    def following(self, suite: str, written: Sequence[str]) -> Agenda:
        """The agenda with the tests of a suite as Robot's running suite has them.

        A listener may have made tests in place of one, as DataDriver does. What was only taken out stays.
        """
        mine = [item for item in self.items if item.suite == suite]
        names = {item.written for item in mine}
        new = [name for name in dict.fromkeys(written) if name not in names]
        if not new or not mine:
            return self
        missing = [item for item in mine if item.written not in written]
        template = (missing or mine)[0]
        made = [replace(template, test=name, name="", source=template.chosen) for name in new]
        at = self.items.index(template) + (0 if missing else len(mine))
        behind = [item for item in self.items[at:] if item not in missing]
        return self._with(*self.items[:at], *made, *behind)

    def renamed(self, suite: str, written: str, test: str) -> Agenda:
        """The agenda with the name of a test as Robot has made it from the variables in it."""
        return self._with(
            *(
                replace(item, test=test, name="" if written == test else written)
                if (item.suite, item.written) == (suite, written)
                else item
                for item in self.items
            )
        )

    def without(self, suite: str, written: Collection[str]) -> Agenda:
        """The agenda without tests that Robot has passed by: tags of theirs exclude them."""
        return self._with(*(i for i in self.items if i.suite != suite or i.written not in written))

    def _with(self, *items: Item) -> Agenda:
        return self if items == self.items else replace(self, items=items, planned=self.plan)

    def position(self, suite: str, test: str) -> int | None:
        """Index of a test; None if it is not on the agenda."""
        for index, item in enumerate(self.items):
            if (item.suite, item.test) == (suite, test):
                return index
        return None

    def time_left(self, took: Mapping[int, float], *, current: int, current_elapsed: float) -> float | None:
        """Seconds until the end, expected times corrected by how long the finished tests really took.

        Each suite that is still to begin opens the tester for itself.

        What the profile expects weighs as much as a quarter of the run: the first tests, of the shortest
        frames, take many times as long as others of their kind. None if that cannot be told: nothing is
        finished, and of some tests nothing is expected.
        """
        average = sum(took.values()) / len(took) if took else None
        if average is None and not all(item.expected_s for item in self.items[current:]):
            return None
        weight = sum(item.expected_s for item in self.items) / 4
        expected = sum(self.items[index].expected_s for index in took) + weight
        pace = (sum(took.values()) + weight) / expected if expected else 1.0
        each = [item.expected_s * pace or average or 0.0 for item in self.items[current:]]
        here, *ahead = ((item.testbed, item.suite) for item in self.items[current:])
        suites = len({*ahead} - {here})
        return sum(each[1:]) + max(0.0, each[0] - current_elapsed) + self.suite_s * suites

    def expected(self, item: Item, took: Mapping[int, float]) -> float:
        """Seconds that a test takes: as its last repetition, or as the profile says; 0 if nobody knows."""
        repeated = [seconds for index, seconds in took.items() if self.items[index].alike == item.alike]
        return repeated[-1] if repeated else item.expected_s

    def finished(self, directory: Path) -> dict[int, float]:
        """Seconds that tests took, by their index, as recorded so far by whichever process."""
        path = directory / "tests.jsonl"
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        tests = [json.loads(line) for line in lines]
        found = {self.position(test["suite"], test["test"]): float(test["elapsed_s"]) for test in tests}
        return {index: seconds for index, seconds in found.items() if index is not None}


def expected_s(items: Sequence[Item], suite_s: float) -> float:
    """Seconds that tests take, each suite of a testbed opening the tester for itself."""
    suites = {(item.testbed, item.suite) for item in items}
    return sum(item.expected_s for item in items) + suite_s * len(suites)


def write(directory: Path, title: str, items: Sequence[Item], suite_s: float = 0) -> None:
    """Puts the agenda beside the records."""
    write_agenda(directory, Agenda(title, tuple(items), suite_s))


def write_agenda(directory: Path, agenda: Agenda) -> None:
    """Puts an agenda beside the records, in place of the one that is there."""
    content = encode(agenda)
    for item in (*content["items"], *content["planned"]):
        for key in ("name", "source"):
            if not item[key]:
                del item[key]
    if not content["planned"]:
        del content["planned"]
    write_json(directory / FILE, content)


def read(directory: Path) -> Agenda | None:
    """The agenda of these records; None where a suite was run without one.

    Raises:
        TesterLibraryError: it cannot be read.
    """
    path = directory / FILE
    if not path.exists():
        return None
    try:
        return agenda_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise TesterLibraryError(f"{path} is not the agenda of a run: {problem}") from None


def agenda_of(text: str) -> Agenda:
    """The agenda, from its text."""
    return decode(Agenda, parse(text))
