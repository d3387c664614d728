# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`Get Known Neighbours` asserts as every getter does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, TesterLibraryError, VerdictFailed
from TesterLibrary.keywords import _assertion
from TesterLibrary.keywords.rfc import learning
from TesterLibrary.measurement.learning import LearningCheck
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.running.procedures.announcement import Neighbours
from TesterLibrary.verdict import Outcome, Verdict

ADDRESSES = AddressRange.parse("198.18.64.0/24")


class Asked:
    """The keyword, on a device that knows so many, and the verdicts that it recorded."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, known: int, *objections: str) -> None:
        counted = LearningCheck(ADDRESSES.count, known, objections)
        monkeypatch.setattr(learning, "NeighbourMeasurer", self._measurer)
        self.verdicts: list[Verdict] = []
        self.probe_rate: Frequency | None = None
        self.ports: dict[str, Any] = {}
        self._counted = counted
        self._session: Any = SimpleNamespace(
            tester=SimpleNamespace(ports=self.ports), conclude=self._conclude
        )

    def _measurer(self, _: object, neighbours: Neighbours) -> SimpleNamespace:
        self.probe_rate = neighbours.probe_rate
        return SimpleNamespace(counted=lambda: self._counted)

    def _conclude(self, verdict: Verdict, message: str | None) -> None:
        self.verdicts.append(verdict)
        verdict.enforce(message)

    def __call__(self, operator: str | None = None, expected: Any = None) -> int:
        chosen = AssertionOperator[operator] if operator else None
        known: int = learning.Learning(self._session).get_known_neighbours(ADDRESSES, chosen, expected)
        return known


def test_a_number_is_written_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, 1_234_567)
    assert asked("==", "1234567") == 1_234_567
    (verdict,) = asked.verdicts
    assert (verdict.outcome, verdict.measured) == (Outcome.PASS, "1,234,567")


@pytest.mark.parametrize(("speed", "rate"), [("1 Gbps", "10 k/s"), ("88 kbps", "50/s")])
def test_a_slow_port_is_probed_at_half_of_what_it_carries(
    speed: str, rate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frames of 90 bytes, 110 with what is between them."""
    asked = Asked(monkeypatch, 50)
    asked.ports |= {name: SimpleNamespace(speed=Bandwidth.parse(speed)) for name in ("p1", "p2")}
    asked()
    assert asked.probe_rate == Frequency.parse(rate)


def test_a_comparison_that_does_not_hold_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, 49)
    with pytest.raises(VerdictFailed, match="49"):
        asked("==", "50")
    assert [verdict.outcome for verdict in asked.verdicts] == [Outcome.FAIL]


@pytest.mark.parametrize(
    ("operator", "expected"), [("validate", "value <"), ("validate", "valeu == 50"), ("==", "x")]
)
def test_a_mistake_of_the_suite_is_an_error_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, operator: str, expected: str
) -> None:
    asked = Asked(monkeypatch, 50)
    with pytest.raises((TesterLibraryError, ValueError)) as error:
        asked(operator, expected)
    assert not isinstance(error.value, VerdictFailed)
    assert asked.verdicts == []


def test_an_expression_records_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_assertion, "verify_assertion", lambda value, *_: value * 2)  # needs a running Robot
    asked = Asked(monkeypatch, 50)
    assert asked("then", "value * 2") == 100
    assert asked() == 50
    assert asked.verdicts == []


def test_a_tester_that_fell_short_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, 49, "a worker did not run for 50.0 ms")
    with pytest.raises(Inconclusive, match="a worker did not run"):
        asked("==", "50")
    assert [verdict.outcome for verdict in asked.verdicts] == [Outcome.INCONCLUSIVE]
