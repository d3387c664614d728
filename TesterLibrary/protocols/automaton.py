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
_DIGITS = b"0123456789abcdef"
_PHASES = 3  # of a number: blanks before it, digits, blanks behind it
_DIGITS_READ, _BLANK_READ = 1, 2

# The texts that may still match, by index, and how many bytes of each have matched.
_Positions = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class ScanProgress:
    """The progress of a scanner between two pieces of a stream."""

    state: int = 0
    reading: int = 0  # 0: no number; else 1 + 3 times the number's find + its phase
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
        self.finds: tuple[Find, ...] = scanner.all
        self.searched: tuple[Find, ...] = (*scanner.ends, *scanner.finds)  # by the tables
        self.steps: list[tuple[int, ...]] = []
        self.found: list[tuple[int, ...]] = [()]
        self._build()

    def _build(self) -> None:
        start: _Positions = frozenset((index, 0) for index in range(len(self.searched)))
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
        following = {(index, 0) for index, find in enumerate(self.searched) if not find.at_start}
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
        if self.scanner.begin and piece and not now.count:
            now = replace(now, reading=self._find(len(self.finds) - 1, variables))
        for taken, byte in enumerate(piece):
            if now.count >= self.scanner.most:
                return Scanned(ScanProgress(), taken, overlong=True)
            now = replace(now, reading=self._read(now.reading, byte, variables), count=now.count + 1)
            now = replace(now, state=self.steps[now.state][byte])
            for index in self.found[now.state]:
                now = replace(now, reading=self._find(index, variables) or now.reading)
                if index < len(self.scanner.ends):
                    return Scanned(ScanProgress(), taken + 1, ended=True)
        return Scanned(now, len(piece))

    def _find(self, index: int, variables: MutableMapping[str, int]) -> int:
        """Does what a find says, and returns the number that is read from here on; 0 if none is."""
        find = self.finds[index]
        variables.update(find.fields)
        for name, by in find.added:
            variables[name] += by
        return 1 + _PHASES * index if find.number else 0

    def _read(self, reading: int, byte: int, variables: MutableMapping[str, int]) -> int:
        """Reads one more byte of a number, which blanks may precede."""
        if not reading:
            return 0
        index, phase = divmod(reading - 1, _PHASES)
        number = self.finds[index].number
        assert number is not None  # or else it would not be read
        digit = _DIGITS.find(bytes([byte]).lower(), 0, number.base)
        if digit >= 0 and phase != _BLANK_READ:
            before = variables[number.variable] if phase == _DIGITS_READ else 0
            value = before * number.base + digit
            variables[number.variable] = value
            if variables[number.variable] != value:
                variables.update(number.otherwise)
            return 1 + _PHASES * index + _DIGITS_READ
        if byte in _BLANKS and (phase != _DIGITS_READ or number.before):
            return 1 + _PHASES * index + (phase and _BLANK_READ)
        if not phase or (number.before and byte not in number.before):
            variables.update(number.otherwise)
        return 0


@cache
def automaton_of(scanner: Scanner) -> Automaton:
    """The automaton of a scanner, which is built once."""
    return Automaton(scanner)


def _bytes(find: Find, position: int) -> bytes:
    """The bytes that match at a position of a find's text."""
    one = find.text[position : position + 1]
    return one.lower() + one.upper() if find.ignore_case else one
