# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of what was measured last, asserted where an operator is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assertionengine import AssertionOperator, verify_assertion

from ..errors import Inconclusive, TesterLibraryError
from ..measurement.latency import Latency
from ..measurement.trial import Trial
from ..measurement.variation import Variation
from ..methodology.latency import LatencyResult
from ..methodology.order import order_of
from ..model.units import Duration, Ratio
from ..session import Session
from ..verdict import Outcome, Verdict

_VARIATION = ("jitter", "ipdv_mean", "ipdv_min", "ipdv_max")
EXPRESSIONS = (AssertionOperator["validate"], AssertionOperator["then"])


class Getter:
    """Reads the last measurement of a session. An assertion on an invalid trial is INCONCLUSIVE."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def loss(self, stream: Any, operator: Any, expected: Any, message: str | None) -> int:
        """Frames lost."""
        stream, operator, expected = _arranged(stream, operator, expected)
        value = self._lost(stream)[0]
        return int(self._checked(value, operator, expected, int, f"Frame loss{_of(stream)}", message))

    def loss_ratio(self, stream: Any, operator: Any, expected: Any, message: str | None) -> float:
        """Frames lost over frames sent."""
        stream, operator, expected = _arranged(stream, operator, expected)
        lost, sent = self._lost(stream)
        value = lost / sent if sent else 0.0

        def parsed(text: Any) -> float:
            return float(Ratio.parse(text).value)

        return float(self._checked(value, operator, expected, parsed, f"Loss ratio{_of(stream)}", message))

    def latency(self, statistic: str, operator: Any, expected: Any, message: str | None) -> float:
        """Nanoseconds."""
        of = self._variation if statistic in _VARIATION else self._latency().statistic
        value = of(statistic)
        if value is None:
            self._check_objections()
            raise Inconclusive("no frame with a signature was received, so there is no latency")

        def parsed(text: Any) -> float:
            return float(Duration.parse(text).ns)

        return float(
            self._checked(float(value), operator, expected, parsed, f"Latency {statistic} in ns", message)
        )

    def order(self, what: str, operator: Any, expected: Any, message: str | None) -> int:
        """Frames that were lost, duplicated, reordered and so on; see `Order`."""
        order = order_of(self._trials())
        return int(self._checked(getattr(order, what), operator, expected, int, f"Frames {what}", message))

    def _trials(self) -> tuple[Trial, ...]:
        last = self._session.judged()
        return (last,) if isinstance(last, Trial) else last.judged

    def _lost(self, stream: str | None) -> tuple[int, int]:
        trial = self._trials()[-1]
        if stream is None:
            return trial.lost, trial.sent
        try:
            order = trial.stream(stream).order
        except KeyError as error:
            raise TesterLibraryError(str(error.args[0])) from None
        return order.lost, order.sent

    def _latency(self) -> Latency:
        last = self._session.judged()
        if isinstance(last, LatencyResult):
            return last.latency
        return Latency.merged(trial.latency.counters for trial in self._trials())

    def _variation(self, name: str) -> float | None:
        variation = Variation.merged(s.counters.variation for t in self._trials() for s in t.streams)
        return float(value) if (value := getattr(variation, name)) is not None else None

    def _check_objections(self) -> None:
        for objection in (objection for trial in self._trials() for objection in trial.objections):
            raise Inconclusive(objection)

    def _checked(
        self,
        value: float,
        operator: AssertionOperator | None,
        expected: Any,
        parse: Callable[[Any], float],
        what: str,
        message: str | None,
    ) -> Any:
        if operator is None:
            return value
        self._check_objections()
        wanted = expected if operator in EXPRESSIONS else parse(expected)
        try:
            result = verify_assertion(value, operator, wanted, what, message)
        except AssertionError:
            self._record(Outcome.FAIL, value, operator, expected, what)
            raise
        self._record(Outcome.PASS, value, operator, expected, what)
        return result

    def _record(
        self, outcome: Outcome, value: float, operator: AssertionOperator, expected: Any, what: str
    ) -> None:
        bound = f"{operator.value} {expected}"
        self._session.recorder.verdict(Verdict(outcome, what, f"{value:g}", bound))


def _of(stream: str | None) -> str:
    return f" of {stream}" if stream else ""


def _arranged(first: str | None, second: Any, third: Any) -> tuple[str | None, AssertionOperator | None, Any]:
    """Stream, operator and value. The stream may be left out: `Get Frame Loss    <=    0`."""
    if first is not None and first in AssertionOperator.__members__:
        return None, AssertionOperator[first], second
    if second is None or isinstance(second, AssertionOperator):
        return first, second, third
    if second not in AssertionOperator.__members__:
        allowed = ", ".join(AssertionOperator.__members__)
        raise TesterLibraryError(f"{second!r} is not an assertion operator; write one of {allowed}")
    return first, AssertionOperator[second], third
