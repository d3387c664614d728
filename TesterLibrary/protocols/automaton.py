# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A scanner as a deterministic automaton over bytes, so that a stream can be cut anywhere."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from functools import cache

from ..errors import PlanError
from ..model.scanner import Find, Scanner

STATE_BITS = 10  # bits of a scanner's progress for the state; the others tell which number is being read
_MOST_STATES = 1 << STATE_BITS
_BLANKS = b" \t"
_ZERO, _NINE = b"09"

# The texts that may still match, by index, and how many bytes of each have matched.
_Positions = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class ScanProgress:
    """The progress of a scanner between two pieces of a stream."""

    state: int = 0
    reading: int = 0  # 0: no number; else twice the number's find, plus 1 once it has digits
    count: int = 0  # bytes so far


@dataclass(frozen=True)
class Scanned:
    """The outcome of scanning a piece: the bytes taken, and why the scanner stopped there."""

    progress: ScanProgress
    taken: int
    ended: bool = False
    overlong: bool = False


class Automaton:
    """Tables: `steps[state][byte]` is the next state, `found[state]` the finds that are complete there."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.finds: tuple[Find, ...] = (*scanner.ends, *scanner.finds)
        self.steps: list[tuple[int, ...]] = []
        self.found: list[tuple[int, ...]] = [()]
        self._build()

    def _build(self) -> None:
        start: _Positions = frozenset((index, 0) for index in range(len(self.finds)))
        numbers: dict[tuple[_Positions, tuple[int, ...]], int] = {(start, ()): 0}
        todo = [start]
        for positions in todo:
            row = []
            for byte in range(256):
                following = self._following(positions, byte)
                if following not in numbers:
                    numbers[following] = len(numbers)
                    todo.append(following[0])
                    self.found.append(following[1])
                row.append(numbers[following])
            self.steps.append(tuple(row))
            if len(numbers) > _MOST_STATES:
                raise PlanError(
                    f"the scanner {self.scanner.name!r} needs more than {_MOST_STATES} states; "
                    "look for fewer or shorter texts"
                )

    def _following(self, positions: _Positions, byte: int) -> tuple[_Positions, tuple[int, ...]]:
        following = {(index, 0) for index, find in enumerate(self.finds) if not find.at_start}
        found = []
        for index, position in positions:
            find = self.finds[index]
            if byte not in _bytes(find, position):
                continue
            if position + 1 == len(find.text):
                found.append(index)
            else:
                following.add((index, position + 1))
        return frozenset(following), tuple(sorted(found))

    def scan(self, piece: bytes, progress: ScanProgress, variables: MutableMapping[str, int]) -> Scanned:
        """Goes on with a stream, up to an end, and sets the variables of its finds."""
        now = progress
        for taken, byte in enumerate(piece):
            if now.count >= self.scanner.most:
                return Scanned(ScanProgress(), taken, overlong=True)
            now = replace(now, reading=self._read(now.reading, byte, variables), count=now.count + 1)
            now = replace(now, state=self.steps[now.state][byte])
            for index in self.found[now.state]:
                find = self.finds[index]
                variables.update(find.fields)
                if find.number:
                    now = replace(now, reading=2 * (index + 1))
                if index < len(self.scanner.ends):
                    return Scanned(ScanProgress(), taken + 1, ended=True)
        return Scanned(now, len(piece))

    def _read(self, reading: int, byte: int, variables: MutableMapping[str, int]) -> int:
        """Reads one more byte of a number, which blanks may precede."""
        if not reading:
            return 0
        name = self.finds[reading // 2 - 1].number
        if _ZERO <= byte <= _NINE:
            before = variables[name] if reading % 2 else 0
            variables[name] = before * 10 + byte - _ZERO
            return reading | 1
        return reading if not reading % 2 and byte in _BLANKS else 0


@cache
def automaton_of(scanner: Scanner) -> Automaton:
    """The automaton of a scanner, which is built once."""
    return Automaton(scanner)


def _bytes(find: Find, position: int) -> bytes:
    """The bytes that match at a position of a find's text."""
    one = find.text[position : position + 1]
    return one.lower() + one.upper() if find.ignore_case else one
