# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`results/bench/summary.json`: what was measured, or why it was not. `summary.schema.json` is its form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .outcome import Outcome

SCHEMA = Path(__file__).with_name("summary.schema.json")
_DIGITS = 6


def entry(unit: str, outcome: Outcome | str) -> dict[str, Any]:
    """One benchmark's part; an outcome that is a text is why there is none."""
    if isinstance(outcome, str):
        nothing = dict.fromkeys(("value", "peer", "peer_value", "ratio"))
        return {**nothing, "unit": unit, "runs": [], "error": outcome}
    return {
        "value": _rounded(outcome.value),
        "unit": unit,
        "peer": outcome.peer,
        "peer_value": _rounded(outcome.peer_value),
        "ratio": _rounded(outcome.ratio),
        "runs": [
            {
                "value": _rounded(run.value),
                "peer_value": _rounded(run.peer_value),
                "ratio": _rounded(run.ratio),
                "load_average": run.load_average,
            }
            for run in outcome.runs
        ],
        **({"note": outcome.note} if outcome.note else {}),
    }


def write(path: Path, entries: Mapping[str, dict[str, Any]]) -> None:
    """Replaces the file as a whole: a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(entries, indent=2, allow_nan=False) + "\n")
    partial.replace(path)


def _rounded(value: float | None) -> float | None:
    """Rounds to the significant digits that a measurement has."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")
