# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Outcomes for a person to read."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from statistics import median

from .outcome import Outcome
from .registry import Benchmark

_WIDTH = 110
_Row = tuple[str, str, str, str, str]  # name, least, median, most, remark
_HEAD: _Row = ("", "min", "median", "max", "")


def render(benchmarks: Sequence[Benchmark], outcomes: Mapping[str, Outcome | str]) -> str:
    """One block for each benchmark: ours, the peer's and their ratio; then its note."""
    blocks = [_block(each, outcomes[each.name]) for each in benchmarks if each.name in outcomes]
    return "\n".join(blocks)


def _block(benchmark: Benchmark, outcome: Outcome | str) -> str:
    title = f"{benchmark.name}: {benchmark.description}"
    if isinstance(outcome, str):
        return f"{title}\n{_indented(f'NOT MEASURED: {outcome}')}"
    rows = [_HEAD, _row(f"ours [{benchmark.unit}]", outcome.values)]
    if outcome.peer:
        rows += [
            _row(f"{outcome.peer} [{benchmark.unit}]", outcome.peer_values),
            _row("ratio", outcome.ratios),
        ]
    met = "met" if benchmark.bound.is_met(outcome) else "MISSED"
    rows[-1] = (*rows[-1][:-1], f"bound {benchmark.bound.text}: {met}")
    lines = [title, *map(_line, rows)]
    return "\n".join([*lines, _indented(outcome.note)] if outcome.note else lines)


def _line(row: _Row) -> str:
    name, low, middle, high, remark = row
    return f"    {name:<44}{low:>10}{middle:>10}{high:>10}  {remark}".rstrip()


def _row(name: str, values: Sequence[float]) -> _Row:
    return name, _figure(min(values)), _figure(median(values)), _figure(max(values)), ""


def _figure(value: float) -> str:
    return f"{value:.4g}"


def _indented(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="    ", subsequent_indent="    ")
