# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sentences about a trial, made from its numbers, for consoles and reports."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .trial import Trial


def finding(trial: Trial) -> str:
    """The findings of a trial on one line: how many frames were lost, or why nothing is known."""
    if not trial.valid:
        return f"invalid, {trial.objections[0]}"
    remarks = "".join(f"; {remark}" for remark in trial.besides)
    if trial.lost is None:
        return f"{trial.loss_text} ({trial.sent:,} sent){remarks}"
    lost = f"lost {trial.lost:,} of {trial.sent:,}" if trial.lost else f"none of {trial.sent:,} lost"
    return f"{lost}{remarks}"


def by_kind(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """The first text of each kind, and how many there are. Texts of a kind differ only in their numbers."""
    kinds: dict[str, list[str]] = {}
    for text in texts:
        kinds.setdefault(re.sub(r"[-+]?[0-9][0-9.,]*", "0", text), []).append(text)
    return tuple((alike[0], len(alike)) for alike in kinds.values())
