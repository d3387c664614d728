# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Remarks on connections that failed, beside what was carried."""

from __future__ import annotations

from collections.abc import Iterator

from ..measurement.session_trial import SessionTrial


def failure_remarks(trial: SessionTrial) -> Iterator[str]:
    """Connections that failed while it was measured and before, as remarks beside what was carried."""
    of = f"of {trial.flows:,} connections " if trial.statistics.failed_text else ""
    yield from (of + text if number == 0 else text for number, text in enumerate(failures_of(trial)))


def failures_of(trial: SessionTrial) -> Iterator[str]:
    """How connections failed while it was measured, and before."""
    if trial.statistics.failed_text:
        yield trial.statistics.failed_text
    yield from silent_remarks(trial)
    yield from changed_remarks(trial)
    yield from failed_before(trial)


def changed_remarks(trial: SessionTrial) -> Iterator[str]:
    """Bytes that arrived changed, content that was not compared, and requests not asked, as remarks."""
    for name, count in trial.changed_at.items():
        yield f"{count:,} bytes arrived changed at {name}"
    if trial.uncompared_text:
        yield trial.uncompared_text
    if trial.unasked:
        yield f"connections were closed before {trial.unasked:,} of their requests were asked"


def silent_remarks(trial: SessionTrial) -> Iterator[str]:
    """Connections without any answer, as a remark."""
    if trial.silent:
        yield f"no connection was answered, {trial.silent:,} wait"


def failed_before(trial: SessionTrial) -> Iterator[str]:
    """Connections that had failed before the measurement, as a remark."""
    if trial.failed_before:
        yield f"{trial.failed_before} before the measurement began"
