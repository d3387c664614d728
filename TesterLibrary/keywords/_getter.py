# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of what was measured last, asserted where an operator is given."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

from assertionengine import AssertionOperator

from ..errors import Inconclusive, TesterLibraryError
from ..measurement import remarks
from ..measurement.counter import Counter, not_counted
from ..measurement.delays.variation import Variation
from ..measurement.order import Order
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..methodology.order import order_of
from ..methodology.outage import uncounted
from ..methodology.traffic import result_of
from ..methodology.verdicts.judging import (
    about,
    delay_doubt_of,
    doubt_of,
    order_doubt_of,
    undelayed,
    undiscerned,
    unmeasured,
)
from ..model.units.units import Ratio, duration_text, ratio_text
from ..running.suite import Suite
from ..verdict import Between, text_of
from ._assertion import asserted
from ._unit import COUNT, TIME, Unit

_MEANT = {"=<": "<=", "=>": ">=", "=": "==", "=!": "!=", "<>": "!="}  # operators as they are mistyped
_OF_ORDER = ("reordered", "late", "extent")
_VARIATION = ("jitter", "ipdv_mean", "ipdv_min", "ipdv_max")


class Getter:
    """Reads the last measurement of a session. An assertion on an invalid trial is INCONCLUSIVE."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    def loss(self, stream: Any, operator: Any, expected: Any, message: str | None) -> int | None:
        """Frames lost; None where nobody knows."""
        stream, operator, expected = _arranged(stream, operator, expected)
        order, doubt = self._lost(stream)
        value: int | None = asserted(
            self._suite,
            order.lost,
            operator,
            expected,
            subject=f"frame loss{_of(stream)}",
            unit=Unit(_count_of_frames),
            known=Between(*order.loss_bounds) if order.loss_bounds else None,
            doubt=doubt,
            message=message,
        )
        return value

    def loss_ratio(self, stream: Any, operator: Any, expected: Any, message: str | None) -> float | None:
        """Frames lost over frames sent; None where nobody knows."""
        stream, operator, expected = _arranged(stream, operator, expected)
        order, doubt = self._lost(stream)
        sent = order.sent or 1
        value: float | None = asserted(
            self._suite,
            None if order.lost is None else order.lost / sent,
            operator,
            expected,
            subject=f"loss ratio{_of(stream)}",
            unit=Unit(lambda text: float(Ratio.parse(text).value), ratio_text),
            known=Between(*(lost / sent for lost in order.loss_bounds)) if order.loss_bounds else None,
            doubt=doubt,
            message=message,
        )
        return value

    def latency(self, statistic: str, operator: Any, expected: Any, message: str | None) -> float:
        """Nanoseconds; `99` is `p99`. Raises Inconclusive if there is none."""
        statistic = f"p{statistic}" if statistic[:1].isdigit() else statistic
        trials = self._trials()
        if statistic in _VARIATION:
            value, known, doubt = self._variation(statistic), None, doubt_of(trials)
        else:
            copies = sum(trial.order.copies[1] for trial in trials if trial.valid)
            latency = result_of(self._suite.judged()).merged_latency()
            figure, doubt = latency.figure(statistic, copies), delay_doubt_of(trials)
            value, known = figure.value if figure else None, about(figure)
        doubt = doubt or undelayed(trials)
        if value is None:
            raise Inconclusive(f"latency {statistic}: {doubt or not_counted([Counter.VARIATION])}")
        return float(
            asserted(
                self._suite,
                float(value),
                operator,
                expected,
                subject=f"latency {statistic}",
                known=known,
                unit=TIME,
                doubt=doubt,
                message=message,
            )
        )

    def outage(self, stream: Any, operator: Any, expected: Any, message: str | None) -> float | None:
        """Nanoseconds of the longest outage, 0 if there was none; infinite while one is not over."""
        stream, operator, expected = _arranged(stream, operator, expected)
        trials = self._trials()
        chosen = [s for trial in trials for s in trial.streams if stream in (None, s.name)]
        if not chosen:
            known = ", ".join(dict.fromkeys(s.name for trial in trials for s in trial.streams))
            raise TesterLibraryError(f"the trial has no stream {stream!r}; it has {known}")
        each = [s.outage_bounds for s in chosen]
        known_bounds = [bounds for bounds in each if bounds]
        longest = max((outage_ns(s) for s in chosen), default=0.0)
        least, most = (max((bounds[side] for bounds in known_bounds), default=0) for side in (0, 1))
        whole = len(known_bounds) == len(each)

        def text(ns: float) -> str:
            return "not over" if isinf(ns) else duration_text(ns)

        def measured(ns: float) -> str:
            return f"{text(least)} or more, and not over" if isinf(ns) and not isinf(least) else text(ns)

        value: float | None = asserted(
            self._suite,
            longest if whole else None,
            operator,
            expected,
            subject=f"outage{_of(stream)}",
            unit=Unit(TIME.parse, text),
            text=measured,
            known=Between(least, most) if whole else None,
            doubt=doubt_of(trials)
            or ("" if whole else unmeasured(trials) or undiscerned(trials) or uncounted(trials)),
            message=message,
        )
        return value

    def order(self, what: str, operator: Any, expected: Any, message: str | None) -> int | None:
        """Frames that were lost, duplicated, reordered and so on; see `Order`. None where not counted."""
        trials = self._trials()
        order = order_of(trials)
        found: int | None = getattr(order, what)
        bounds = order.loss_bounds if what == "lost" else None
        beside = f" ({order})" if what in _OF_ORDER and order.lost != 0 else ""
        absent = ""
        if found is None:
            absent = undiscerned(trials) or f"this tester does not count the frames that were {what}"
        # Late frames are counted as reordered, too: without those there are none.
        if what in ("duplicated", "reordered") and order.late != 0 and order.reordered != 0:
            came = "some may have come" if order.late is None else f"{order.late:,} frames came"
            absent = absent or f"{came} too late to tell whether they had arrived before"
        value: int | None = asserted(
            self._suite,
            found,
            operator,
            expected,
            subject=f"frames {what}",
            text=lambda count: f"{text_of(count)}{beside}",
            known=Between(*bounds) if bounds else None,
            doubt=(order_doubt_of(trials) if what in _OF_ORDER else doubt_of(trials))
            or ("" if bounds else absent)
            or ("" if order.received else "no frame was received"),
            message=message,
        )
        return value

    def _trials(self) -> tuple[Trial, ...]:
        result = result_of(self._suite.judged())
        if not result.judged:
            raise TesterLibraryError(f"the last measurement has no trial to read: {result}")
        return result.judged

    def _lost(self, stream: str | None) -> tuple[Order, str]:
        """The fate of the frames measured last, or of one stream of them, and why it is not to be trusted.

        It is that of the last trial, or of all that `Stop Traffic` has stopped together.
        """
        self._trials()
        trials = result_of(self._suite.judged()).latest()
        if stream is None:
            return Order.merged(trial.order for trial in trials), doubt_of(trials) or unmeasured(trials)
        for trial in trials:
            if stream in {s.name for s in trial.streams}:
                return trial.stream(stream).order, doubt_of([trial]) or remarks.lost_beside_others(
                    trial, stream
                )
        known = ", ".join(s.name for trial in trials for s in trial.streams)
        raise TesterLibraryError(f"the trial has no stream {stream!r}; it has {known}")

    def _variation(self, name: str) -> float | None:
        variation = Variation.merged(s.counters.variation for t in self._trials() for s in t.streams)
        return float(value) if (value := getattr(variation, name)) is not None else None


def outage_ns(stream: StreamResult) -> float:
    """The longest outage of a stream by time; 0 if it had none, or nobody counted."""
    return max((inf if not o.ended else float(o.by_time_ns) for o in stream.outages or ()), default=0.0)


def _count_of_frames(text: Any) -> int:
    """A number of frames. TesterLibraryError for a part of them, which is another keyword's."""
    if str(text).strip().endswith(("%", "ppm")):
        raise TesterLibraryError(f"{text!r} is a part of the frames, not a number; call Get Loss Ratio")
    return int(COUNT.parse(text))


def _of(stream: str | None) -> str:
    return f" of {stream}" if stream else ""


def _arranged(first: str | None, second: Any, third: Any) -> tuple[str | None, AssertionOperator | None, Any]:
    """Stream, operator and value. The stream may be left out: `Get Frame Loss    <=    0`."""
    if first is not None and first in AssertionOperator.__members__:
        return None, AssertionOperator[first], second
    if first is not None and not first[:1].isalnum() and not set(first) - set("<>=!~*^$"):
        raise _no_operator(first)
    if second is None or isinstance(second, AssertionOperator):
        return first, second, third
    if second not in AssertionOperator.__members__:
        raise _no_operator(second)
    return first, AssertionOperator[second], third


def _no_operator(given: str) -> TesterLibraryError:
    """The error of a text in the place of an operator, with the operator that was meant."""
    meant = f" (did you mean {_MEANT[given]!r}?)" if given in _MEANT else ""
    allowed = ", ".join(AssertionOperator.__members__)
    return TesterLibraryError(f"{given!r} is not an assertion operator{meant}; write one of {allowed}")
