# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work for the person who waits: which trial, of how many, what it found, the time left.

Robot captures what a keyword prints, so this writes to the console that the process was started with.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from ...measurement.interval import Interval
from ...measurement.remarks import finding
from ...measurement.trial import Trial
from ...model.units.number import percent
from ...model.units.units import Duration
from ..live.notes import LiveNotes
from .agenda import Agenda
from .agenda import read as read_agenda
from .outcome import one_line

_REFRESH_S = 0.2
_CLEAR = "\r\x1b[K"


class Console:
    """Shows one line that changes in place on a terminal; elsewhere one line for each trial.

    With the agenda of a certification it also heads and closes each test, which Robot does otherwise.
    """

    def __init__(
        self,
        evidence: Path | None = None,
        *,
        stream: TextIO | None = None,
        notes: LiveNotes | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`notes` are kept beside the records, for those who follow the run elsewhere."""
        self._evidence = evidence
        self.notes = notes
        self._out = stream if stream is not None else sys.__stderr__
        self._clock = clock
        self._live = bool(self._out and self._out.isatty())
        self._agenda: Agenda | None = None
        self._took: dict[int, float] = {}
        self._current: int | None = None
        self._test_started = self._shown = 0.0
        self._line_open = False  # Robot has written the test's name, and no end of line yet
        self._title = self._found = ""
        self._number = 0
        self._of: int | None = None
        self._ends_at: float | None = None

    # A test of a certification

    def begin_test(self, suite: str, test: str) -> None:
        """Heads a test, if it is on an agenda."""
        if self._evidence is not None:
            self._agenda = read_agenda(self._evidence)  # Robot may have made tests of it meanwhile
        if self._agenda is not None and self._evidence is not None:
            self._took = self._agenda.finished(self._evidence)
        if self.notes:
            self.notes.begin_test()
        self._number, self._of = 0, None
        self._test_started = self._clock()
        self._current = self._agenda.position(suite, test) if self._agenda else None
        self._line_open = self._current is None
        if self._agenda and self._current is not None:
            count = len(self._agenda.items)
            left = f" ({text})" if (text := self._left_of_run()) else ""
            self._line(f"[{self._current + 1:>{len(str(count))}}/{count}] {suite} · {test}{left}")

    def end_test(self, outcome: str, message: str) -> None:
        """Closes a test with what was concluded."""
        if self._current is None:
            return
        took = self._clock() - self._test_started
        self._line(f"      {one_line(outcome, message)} [{took:.0f} s]")
        self._current = None

    # A procedure and its trials

    def begin(self, title: str, *, trials: int | None = None, duration: Duration | None = None) -> None:
        """A procedure starts: at most so many trials, in about so much time, as far as it is known."""
        self._title, self._number, self._of, self._found = title, 0, trials, ""
        self._ends_at = self._clock() + duration.seconds if duration else None
        if self.notes:
            self.notes.procedure(title, trials)
        self._update(force=True)

    def sending(self, done: float) -> None:
        """The trial under way has sent this part, 0 to 1, of its frames."""
        self._update(sending=done)

    def trial(self, trial: Trial) -> None:
        """A trial has ended."""
        self._number += 1 if trial.attempt == 1 else 0
        again = f" (attempt {trial.attempt})" if trial.attempt > 1 else ""
        self._found = f"{_percent(trial)}: {finding(trial)}"
        if self._live:
            self._update(force=True)
        else:
            left = f"; {text}" if (text := self._time_left()) else ""
            self._line(f"      trial {self._counted()}{again}, {_seconds(trial)} at {self._found}{left}")

    def step(self, question: str) -> None:
        """A procedure goes on with another question."""
        if self.notes:
            self.notes.procedure(f"{self._title}: {question}", None)
        self._line(f"      {question}")

    def invalid_attempt(self, text: str) -> None:
        """An attempt at a measurement is repeated, as the tester did not do its part."""
        self._line(f"      {text}")

    def interval(self, interval: Interval) -> None:
        """An interval of traffic that is watched has ended, or is settled after frames were missing."""
        if self.notes and interval.settled:
            self.notes.interval(interval)
        self._line(f"      {interval}")

    def estimate(self, trials_left: int | None = None, duration_left: Duration | None = None) -> None:
        """Corrects how much of the procedure is still to come, now that more is known."""
        if trials_left is not None:
            self._of = self._number + trials_left
            if self.notes:
                self.notes.procedure(self._title, self._of)
        if duration_left is not None:
            self._ends_at = self._clock() + duration_left.seconds
        self._update()

    def end(self, text: str = "") -> None:
        """The procedure has ended with this result."""
        if self.notes:
            self.notes.end_procedure()
        if text:
            self._line(f"      {text}")
        else:
            self._write(_CLEAR if self._live else "")
        self._title, self._ends_at, self._of = "", None, None

    # How it looks

    def _update(self, *, sending: float | None = None, force: bool = False) -> None:
        now = self._clock()
        if not self._live or (not force and now - self._shown < _REFRESH_S):
            return
        self._shown = now
        count = f"trial {self._counted(under_way=sending is not None)}"
        parts = [self._title, count]
        if sending is not None:
            parts.append(f"sending {percent(min(sending, 1), 0)}")
        parts += [text for text in (self._found, self._time_left()) if text]
        line = "      " + ", ".join(part for part in parts if part)
        width = shutil.get_terminal_size().columns
        self._write(_CLEAR + line[: width - 1])

    def _counted(self, *, under_way: bool = False) -> str:
        number = self._number + (1 if under_way else 0)
        return f"{number} of at most {self._of}" if self._of and self._of >= number else str(number)

    def _time_left(self) -> str:
        parts = []
        seconds = 0.0
        if self._ends_at is not None:
            seconds = self._ends_at - self._clock()
            parts.append(_left(seconds))
        if self._current is not None:
            parts.append(self._left_of_run(seconds))
        return ", ".join(part for part in parts if part)

    def _left_of_run(self, least: float = 0) -> str:
        """The time until the run ends, which is no sooner than a procedure that takes so many seconds yet."""
        assert self._agenda is not None
        assert self._current is not None
        elapsed = self._clock() - self._test_started
        seconds = self._agenda.time_left(self._took, current=self._current, current_elapsed=elapsed)
        return "" if seconds is None else f"{_left(max(seconds, least))} of the run"

    def _line(self, text: str) -> None:
        self._write(f"{_CLEAR if self._live else ''}{text}\n")

    def _write(self, text: str) -> None:
        if self._out is None or not text:
            return
        try:
            self._out.write("\n" + text if self._line_open else text)
            self._line_open = False
            self._out.flush()
        except (OSError, ValueError):  # the console is gone; the measurement goes on
            self._out = None


def _percent(trial: Trial) -> str:
    return f"{float(trial.load * 100):.4g} %"


def _seconds(trial: Trial) -> str:
    return str(Duration(trial.duration_ns))


def _left(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min left"
    return f"{whole // 60} min {whole % 60:02} s left" if whole >= 60 else f"{whole} s left"
