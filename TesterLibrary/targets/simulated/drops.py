# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Drops of a simulated device: its rules, with what each has counted so far, on the way to one port."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ...model.editor import FieldPath
from ...model.plan.plan import PlannedStream, bits_of
from ...planning.observed import FieldReader
from ...testbeds.drop_rule import DropRule, holds

_Matches = Callable[[int, int], bool]  # whether a rule speaks of the frame of a number and a size
_BACK_TO_BACK = 2  # gaps at line rate: frames that are nearer to each other belong to one burst


class DropCounter:
    """One rule, and the frames that it has counted."""

    def __init__(self, rule: DropRule) -> None:
        self.rule = rule
        self._frames = 0
        self._after_idle = 0
        self._in_burst = 0
        self._before_ns: int | None = None
        self._due_ns = Fraction(0)  # when the next frame conforms to the rate
        self._gap_ns = Fraction(10**9) / rule.above.value if rule.above else Fraction(0)

    def drops(self, now_ns: int, line_ns: Fraction) -> bool:
        """Whether a frame that looks as the rule says is dropped."""
        rule = self.rule
        pause_ns = None if self._before_ns is None else now_ns - self._before_ns
        self._before_ns = now_ns
        self._frames += 1
        silent = pause_ns is None or pause_ns > rule.idle.ns
        self._after_idle = 1 if silent else self._after_idle + 1
        near = pause_ns is not None and pause_ns < _BACK_TO_BACK * line_ns
        self._in_burst = self._in_burst + 1 if near else 1
        return (
            not (rule.period and self._frames % rule.period)
            and not (rule.first and self._after_idle > rule.first)
            and not (rule.burst and self._in_burst <= rule.burst)
            and not (rule.above and self._conforms(now_ns))
        )

    def _conforms(self, now_ns: int) -> bool:
        """Whether a frame comes in time; then it takes its time (the virtual schedule of a policer)."""
        if now_ns < self._due_ns - self._gap_ns:
            return False
        self._due_ns = max(self._due_ns, Fraction(now_ns)) + self._gap_ns
        return True


class StreamDrops:
    """The rules of a device for the frames of one stream."""

    def __init__(self, planned: PlannedStream, counters: Sequence[DropCounter]) -> None:
        of_port = [counter for counter in counters if counter.rule.port in ("", planned.tx_port)]
        self._rules = [(counter, _matching(planned, counter.rule)) for counter in of_port]

    def take(self, now_ns: int, line_ns: Fraction, number: int, size: int) -> bool:
        """Whether a frame is dropped; rules behind the one that drops it do not see it."""
        rules = self._rules
        return any(matches(number, size) and counter.drops(now_ns, line_ns) for counter, matches in rules)


def _matching(planned: PlannedStream, rule: DropRule) -> _Matches:
    """Whether a frame looks as a rule says."""
    if rule.field is None:
        return lambda _, size: holds(rule.size, size)
    read = _reader(planned, rule.field)

    def matches(number: int, size: int) -> bool:
        value = read(number)
        if value is None or not holds(rule.size, size) or not holds(rule.values, value):
            return False
        if rule.bits and value & rule.bits[1] != rule.bits[0]:
            return False
        return not rule.remainder or value % rule.remainder[1] == rule.remainder[0]

    return matches


def _reader(planned: PlannedStream, path: FieldPath) -> Callable[[int], int | None]:
    """The value of a field in the frame of a number; None in frames without such a header."""
    place = FieldReader(path, 0).place(planned.frame) if planned.frames else None
    if place is None:
        return lambda _: None
    window = (place.bit_offset, place.bits)
    for editor in planned.editors:
        if (editor.bit_offset, editor.bits) == window:
            return editor.value
    values: dict[bytes, int] = {}

    def read(number: int) -> int:
        frame = planned.template(number)
        if frame not in values:
            values[frame] = bits_of(frame, *window)
        return values[frame]

    return read
