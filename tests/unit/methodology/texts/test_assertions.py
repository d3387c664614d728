# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The texts of keywords that assert."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator
from robot.libraries.BuiltIn import BuiltIn
from robot.variables import Variables
from robot.variables.evaluation import evaluate_expression

from TesterLibrary.errors import Inconclusive, TesterLibraryError, VerdictFailed
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.keywords._session_getter import SessionGetter
from TesterLibrary.keywords.trials.capture import Captures, CaptureStatistic
from TesterLibrary.measurement.capture import CaptureCounters, CapturePortCounters, CopiedCaptureCounters
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, OLD, calibrated, connections, switched, trial, unmeasured, unsigned


def value_of(getter: Getter, fate: str) -> None:
    """Shows what a getter without an operator returns."""
    raise TesterLibraryError(f"is {getter.order(fate, None, None, None)}")


def asserted(measured: Any, ask: Callable[[Any], Any]) -> str:
    """The text of an asserting getter: of the verdict that it records, or of the suite's mistake."""
    recorded: list[Verdict] = []

    def conclude(verdict: Verdict, message: str | None = None) -> Verdict:
        recorded.append(verdict)
        return verdict.enforce(message)

    copied = (CapturePortCounters("p2", seen=20, matched=10, dropped=3),)
    captures = {
        "questions": CaptureCounters("questions", captured=7),
        "copies": CopiedCaptureCounters("copies", captured=7, ports=copied),
    }
    session = SimpleNamespace(
        judged=lambda: measured,
        conclude=conclude,
        connections=SimpleNamespace(
            so_far=lambda _: connections(), behind=lambda *_, **__: None, runs=lambda *_: True
        ),
        captures=SimpleNamespace(statistics=captures.__getitem__),
    )
    try:
        ask(session)
    except (VerdictFailed, Inconclusive) as raised:
        return str(recorded[0]) if recorded else str(raised)
    except TesterLibraryError as mistake:
        return f"ERROR: {mistake}"
    return str(recorded[0]) if recorded else "nothing is judged"


def evaluated(_: BuiltIn, expression: str, modules: Any = None, namespace: Any = None) -> Any:
    """Evaluate without a suite that runs."""
    return evaluate_expression(expression, Variables(), modules, namespace)


def test_every_assertion_says_what_was_approved(approved: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BuiltIn, "evaluate", evaluated)
    at_most, equal = AssertionOperator["<="], AssertionOperator["=="]
    lines = []
    trials = {
        "lossless": trial(),
        "lossy": trial("100 %"),
        "invalid": trial(objections=LATE),
        "uncalibrated": trial(delay_objections=OLD),
        "uncounted": trial(counts=False),
        "unmeasured": unmeasured(),
        "deaf": trial(capacity=0),
        "unsigned": unsigned(),
        "switched": switched(),
        "calibrated": calibrated(),
    }
    for name, found in trials.items():
        for label, ask in {
            "loss": lambda session: Getter(session).loss("<=", 0, None, None),
            "loss of north": lambda session: Getter(session).loss("north", equal, "1,188,095", None),
            "loss ratio": lambda session: Getter(session).loss_ratio("<=", "0.001 %", None, None),
            "latency p99": lambda session: Getter(session).latency("p99", at_most, "50 us", None),
            "latency p50": lambda session: Getter(session).latency("p50", at_most, "20.3 us", None),
            "latency pdv50": lambda session: Getter(session).latency("pdv50", equal, "0.1 us", None),
            "latency min": lambda session: Getter(session).latency("min", at_most, "20 us", None),
            "latency mean": lambda session: Getter(session).latency("mean", at_most, "25.5 us", None),
            "latency max": lambda session: Getter(session).latency("max", equal, "80 us", None),
            "duplicated": lambda session: Getter(session).order("duplicated", equal, 0, None),
            "reordered": lambda session: Getter(session).order("reordered", equal, 0, None),
            "misrouted, as a value": lambda session: value_of(Getter(session), "misrouted"),
            "jitter": lambda session: Getter(session).latency("jitter", at_most, "1 ms", None),
        }.items():
            lines.append(f"{name}, {label}: {asserted(found, ask)}")
    mistakes: dict[str, Callable[[Any], Any]] = {
        "a word for a number": lambda session: Getter(session).loss_ratio("<=", "few", None, None),
        "a number with a comma": lambda session: Getter(session).loss("==", "1,5", None, None),
        "a fraction of a frame": lambda session: Getter(session).loss("==", "1.5", None, None),
        "another stream": lambda session: Getter(session).loss("south", at_most, 0, None),
        "a count of connections": lambda session: SessionGetter(session).statistic(
            "users", "established", equal, 1_234_568, None
        ),
        "a count in words": lambda session: SessionGetter(session).statistic(
            "users", "established", equal, "many", None
        ),
        "goodput": lambda session: SessionGetter(session).statistic(
            "users", "goodput", AssertionOperator[">="], "1 Gbps", None
        ),
        "goodput below a number": lambda session: SessionGetter(session).statistic(
            "users", "goodput", AssertionOperator[">="], 1_000_000_000, None
        ),
        "goodput in its unit": lambda session: SessionGetter(session).statistic(
            "users", "goodput", AssertionOperator["<="], "0", None
        ),
        "an amount of data": lambda session: SessionGetter(session).statistic(
            "users", "bytes_received", AssertionOperator[">="], "1 MB", None
        ),
        "a count that contains": lambda session: SessionGetter(session).statistic(
            "users", "established", AssertionOperator["contains"], "1", None
        ),
        "a time": lambda session: SessionGetter(session).statistic(
            "users", "tcp.time_to_open.max", at_most, "1 ms", None
        ),
    }
    validate = AssertionOperator["validate"]
    mistakes |= {
        "validated": lambda session: Getter(session).order("duplicated", validate, "value == 0", None),
        "validated in vain": lambda session: Getter(session).order("received", validate, "value < 9", None),
        "validated wrong": lambda session: Getter(session).order("duplicated", validate, "value <", None),
        "validated latency": lambda session: Getter(session).latency("p99", validate, "value < 9e4", None),
        "an expression": lambda session: Getter(session).loss("then", "value * 2", None, None),
        "frames of a capture": lambda session: Captures(session).get_capture_statistics(
            "questions", CaptureStatistic.DROPPED, equal, 0
        ),
        "frames of a capture in vain": lambda session: Captures(session).get_capture_statistics(
            "questions", CaptureStatistic.CAPTURED, equal, "1,000"
        ),
        "lost copies": lambda session: Captures(session).get_capture_statistics(
            "copies", CaptureStatistic.MATCHED, equal, 10
        ),
        "frames that are missing": lambda session: Captures(session).get_capture_statistics(
            "copies", CaptureStatistic.CAPTURED, equal, 10
        ),
        "more than could be missing": lambda session: Captures(session).get_capture_statistics(
            "copies", CaptureStatistic.CAPTURED, equal, 11
        ),
        "lost copies that make no difference": lambda session: Captures(session).get_capture_statistics(
            "copies", CaptureStatistic.MATCHED, AssertionOperator[">"], 6
        ),
    }
    lines += [f"lossless, {label}: {asserted(trials['lossless'], ask)}" for label, ask in mistakes.items()]
    approved("assertions", "\n".join(lines))
