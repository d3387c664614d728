# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A proxy between clients and servers: as many requests as in front of it have to be answered behind it."""

from __future__ import annotations

import random
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._session_getter import SessionGetter
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.verdict import Verdict
from tests.counted import session_statistics

from .case import Case, judge


@judge
def proxied(draw: random.Random) -> Case:
    """It asks once, twice as some do, not at all for some, or answers some from a cache."""
    front = draw.choice([1, 300, draw.randint(1, 2000)])
    behind = max(0, draw.choice([front, front, 2 * front, front + 1, front - 1, 0, front // 2]))
    counts = draw.random() < 0.9
    statistics = session_statistics(
        "backends", 10**9, {"http-server.answered": behind} if counts else {}, {}, begun=behind, ended=behind
    )
    fault = ("3 frames were lost in the tester's own rings and interfaces",) if draw.random() < 0.08 else ()
    opening = (front - behind, "connections of users are still to be opened") if draw.random() < 0.1 else None
    trial = SessionTrial(statistics, objections=fault)
    verdicts: list[Verdict] = []

    def conclude(verdict: Verdict, _message: str | None = None) -> Verdict:
        verdicts.append(verdict)
        return verdict.enforce()

    ends = SimpleNamespace(
        so_far=lambda _: trial,
        settled_so_far=lambda _: trial,
        behind=lambda *_, **__: opening,
        runs=lambda *_: True,
    )
    suite: Any = SimpleNamespace(connections=ends, conclude=conclude)
    with suppress(VerdictFailed, Inconclusive):
        SessionGetter(suite).statistic("backends", "transactions", AssertionOperator["=="], front, None)
    (verdict,) = verdicts
    excuse = "the tester" if fault else "" if counts else "the tables do not count it"
    if opening:
        excuse = excuse or "more are to be opened"
    about = f"{front} in front, {behind} behind; {fault=} {counts=} {opening=}"
    return Case("requests behind a proxy", front == behind, verdict, excuse, about)
