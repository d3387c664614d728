# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a run as a whole for other tools, and whether it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ...errors import TesterLibraryError
from ...model.units.number import counted
from ..live.notes import goes_on
from ..pages import demonstration
from ..pages.rebuild import evidence_of
from ..pages.run_attributes import attributes
from ..record.outcome import EXIT_STATUS, overall
from ..record.records import Records, read_verdicts, refuse_inconsistent


@dataclass(frozen=True)
class Facts:
    """A run as a whole."""

    records: Records
    id: str
    title: str
    started_at: datetime  # with its time zone
    verdict: str
    counts: str  # `2 PASS, 1 FAIL`

    @property
    def attributes(self) -> Mapping[str, str]:
        """Testbed, device, version, profile and tester; what is not known is left out."""
        return self.attributes_of("")

    def attributes_of(self, testbed: str) -> Mapping[str, str]:
        """The same of one testbed, or of all if it is empty."""
        run = self.records.run
        testers = [t for t in run["testers"] if testbed in ("", (t.get("testbed") or {}).get("name"))]
        return attributes(run, testers)


def facts_of(directory: Path) -> Facts:
    """Reads a run.

    Raises:
        TesterLibraryError: there is none, its records cannot be read, were edited or contradict each other,
            or it is not over.
    """
    records = read_verdicts(evidence_of(directory))
    missing = sum(map(len, records.not_run.values()))
    if missing:
        raise TesterLibraryError(
            f"{directory}: the run is not over, {counted(missing, 'test')} of it "
            f"{'has' if missing == 1 else 'have'} no record; export it when it is, or go on with one that "
            "was killed by --resume"
        )
    if records.agenda is None and goes_on(evidence_of(directory)):
        raise TesterLibraryError(
            f"{directory}: the run is not over, for Robot has not closed the library; export it when it has, "
            "and run one that was killed again"
        )
    refuse_inconsistent(records, directory)
    run = records.run
    try:
        started_at = datetime.fromisoformat(str(run["started_at"]))
        identity = str(run["id"])
        list(run["testers"])
    except (KeyError, TypeError, ValueError) as problem:
        raise TesterLibraryError(
            f"run.json in {evidence_of(directory)} is not that of a run of this library: {problem!r}"
        ) from None
    outcomes = records.outcomes()
    title = records.agenda.title if records.agenda else "Test run"
    demonstrates = demonstration.of_run(run)
    return Facts(
        records,
        identity,
        f"{title} – {demonstrates}" if demonstrates else title,
        started_at,
        overall(outcomes),
        ", ".join(f"{outcomes.count(name)} {name}" for name in EXIT_STATUS if name in outcomes) or "no test",
    )
