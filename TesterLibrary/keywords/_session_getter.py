# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of responders and clients, asserted where an operator is given."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from math import inf
from typing import Any

from assertionengine import AssertionOperator

from ..measurement.session_trial import SessionTrial
from ..methodology.failure_remarks import changed_remarks, failure_remarks, silent_remarks
from ..methodology.sessions import failed_range, never_measured, over_early, time_bounds
from ..methodology.verdicts.judging import about
from ..model.responder import End
from ..running.suite import Suite
from ..verdict import Between, Undecided
from ._assertion import asserted
from ._unit import BITS_EACH_SECOND, EACH_SECOND, NUMBER, OCTETS, OCTETS_EACH_SECOND, TIME, Unit

_FAILED = ("failed", "failed/s")
_BITS = ("goodput", "delivered")  # each second
_AT_END = ("completed", "transactions", "answered", "bytes_received", "bytes_delivered", *_BITS)
_PRESENT = "concurrent"  # all other counts can only rise
_AT_MOST = (AssertionOperator["<"], AssertionOperator["<="])
_ONCE = ("attempted", "established", "completed")  # at most once for each connection


class SessionGetter:
    """Reads statistics; an assertion on one is a verdict."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    def statistic(
        self,
        name: str,
        statistic: str | None,
        operator: AssertionOperator | None,
        expected: Any,
        message: str | None,
    ) -> Any:
        """All statistics of an end, or one of them."""
        ends = self._suite.connections
        if statistic is None:
            return ends.so_far(name).statistics
        # Looked at first: who has opened all meanwhile is early, and never wrong.
        changes = _rises(statistic) or (statistic != _PRESENT and ends.runs(name, End))
        kinds = {"at_end": _ends_well(statistic), "at_opening": _opens(statistic)}
        behind = ends.behind(name, **kinds) if operator and changes else None
        trial = ends.so_far(name)
        value = trial.statistics.statistic(statistic)
        if statistic in _FAILED or (value is None and operator in _AT_MOST and _is_time(statistic)):
            trial = ends.settled_so_far(name)
            value = trial.statistics.statistic(statistic)
        never = value is None and trial.dead and operator in _AT_MOST and _is_time(statistic)
        unit = unit_of(statistic)
        return asserted(
            self._suite,
            value,
            operator,
            expected,
            subject=f"{statistic.replace('_', ' ')} of {name}",
            unit=unit,
            text=lambda value: "; ".join((unit.text(value), *_remarks(trial, statistic))),
            known=never_measured(trial) if never else _bounds(trial, statistic, behind),
            doubt=trial.doubt or _uncompared(trial, statistic, value),
            message=message,
        )


def _uncompared(trial: SessionTrial, statistic: str, value: float | None) -> str:
    """Why no changed byte says nothing; empty if it does, or if there were some."""
    table, _, counter = statistic.rpartition(".")
    if counter != "changed" or value:
        return ""
    counters = trial.statistics.counters.items()
    compared = [n for key, n in counters if key.startswith(table) and key.endswith(".verified")]
    if not compared or any(compared):
        return ""
    return "no byte was compared: only content of our own servers and clients is, by its Content-Type"


def _remarks(trial: SessionTrial, statistic: str) -> Iterator[str]:
    if statistic in _FAILED:
        return chain(silent_remarks(trial), changed_remarks(trial))
    has_failed = _is_time(statistic) and trial.failed_without(statistic.rpartition(".")[0])[1]
    return failure_remarks(trial) if has_failed else iter(())


def _ends_well(statistic: str) -> bool:
    """Whether connections raise it until they are over, and well."""
    return statistic.removesuffix("/s").rpartition(".")[2] in _AT_END


def _opens(statistic: str) -> bool:
    """Whether an answer to an opening raises it."""
    return statistic.removesuffix("/s") == "established" or "time_to_open." in statistic


def _rises(statistic: str) -> bool:
    """Whether more connections can only make it greater: a count, or the longest time."""
    if _is_time(statistic):
        return statistic.endswith(".max")
    return statistic != _PRESENT and not _is_rate(statistic)


def _bounds(trial: SessionTrial, statistic: str, behind: tuple[int, str] | None) -> Between | None:
    """The bounds of a statistic that is not known exactly, or that more connections change."""
    value, known = trial.statistics.statistic(statistic), _known(trial, statistic)
    if behind is None and trial.over and value is not None and _is_rate(statistic):
        return Undecided(value, inf, over_early(trial))
    if value is None:
        return known
    if behind is None:
        return _omitted(trial, statistic, value, known)
    left, why = behind
    if not _rises(statistic):
        return Undecided(0, inf, why)
    least = value if known is None else known.least
    tried = trial.statistics.openings + left
    return Undecided(least, tried if trial.statistics.opens and statistic in _ONCE else inf, why)


def _omitted(trial: SessionTrial, statistic: str, value: float, known: Between | None) -> Between | None:
    """The bounds of a statistic where connections were not opened when they were due."""
    if _is_time(statistic):
        name, _, figure = statistic.rpartition(".")
        _, why = trial.untimed(name)
        if not why:
            return known
        if figure.startswith("p") and not figure.startswith("pdv"):
            return time_bounds(trial, name, float(figure[1:]))
        if figure == "max":
            return time_bounds(trial, name, 100)
        return Undecided(0, inf, why)
    if not trial.unopened or statistic == _PRESENT:
        return known
    if _is_rate(statistic):
        return Undecided(0, inf if trial.all_in_use else value, trial.omission)
    if not trial.all_in_use and (_ends_well(statistic) or _opens(statistic)):
        return known
    least = value if known is None else known.least
    return Undecided(least, least + trial.unopened if statistic in _ONCE else inf, trial.omission)


def _known(trial: SessionTrial, statistic: str) -> Between | None:
    """The bounds of a statistic that is not known exactly; None for others."""
    if statistic not in _FAILED:
        return about(trial.statistics.figure(statistic))
    found = failed_range(trial)
    if found is None or statistic == "failed":
        return found
    each = Fraction(10**9, trial.statistics.duration_ns or 1)
    return Undecided(found.least * each, found.most * each, found.why)


def _is_rate(statistic: str) -> bool:
    return statistic in _BITS or statistic.endswith("/s")


def _is_time(statistic: str) -> bool:
    return "time_" in statistic and "." in statistic


def unit_of(statistic: str) -> Unit:
    """The unit of a statistic."""
    if _is_time(statistic):
        return TIME
    if statistic in _BITS:
        return BITS_EACH_SECOND
    counted = statistic.removesuffix("/s")
    is_data = counted.rpartition(".")[2].startswith("bytes_")
    if counted == statistic:
        return OCTETS if is_data else NUMBER
    return OCTETS_EACH_SECOND if is_data else EACH_SECOND
