# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Earlier runs whose records were in the folder of this one: they are put aside, and reports say so."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .outcome import WORST_FIRST

KEY = "earlier_runs"  # of run.json
_MOST = 20  # runs, the last ones


def put_aside(evidence: Path, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Moves records to a folder beside theirs.

    Args:
        evidence: The folder of the records.
        run: Their run.json; empty if it cannot be read.

    Returns:
        The earlier runs that run.json of the next run names, the last one last.
    """
    begun = str(run.get("started_at", ""))
    folder = _free_name(evidence, begun.replace(":", "") or "earlier")
    counts = _counts(evidence / "tests.jsonl")
    evidence.rename(folder)
    earlier = {"folder": folder.name, "run": str(run.get("id", "")), "started_at": begun, "counts": counts}
    return [*run.get(KEY, ()), earlier][-_MOST:]


def text_of(earlier: Mapping[str, Any]) -> str:
    """A sentence on an earlier run."""
    counts = earlier["counts"]
    had = ", ".join(f"{counts[outcome]} {outcome}" for outcome in WORST_FIRST if outcome in counts)
    begun = f" (begun {earlier['started_at']})" if earlier["started_at"] else ""
    folder = earlier["folder"]
    return f"An earlier run in this folder{begun} was put aside at {folder}; it had {had or 'no test'}"


def texts(run: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence on each earlier run that `run.json` names."""
    return tuple(map(text_of, run.get(KEY, ())))


def _counts(tests: Path) -> dict[str, int]:
    """The outcomes of tests; a line that is no record of one is not counted."""
    outcomes: Counter[str] = Counter()
    with suppress(OSError):
        for line in tests.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, KeyError, TypeError):
                outcomes[str(json.loads(line)["outcome"])] += 1
    return dict(outcomes)


def _free_name(evidence: Path, begun: str) -> Path:
    candidates = (
        evidence.with_name(f"{evidence.name}-{begun}{suffix}")
        for suffix in ("", *map(".{}".format, range(1, 1000)))
    )
    return next(path for path in candidates if not path.exists())
