# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The service in numbers, for Prometheus: OpenMetrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from .lab import Lab
from .scheduler import State

KIND = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def metrics(lab: Lab) -> str:
    """All metrics."""
    return "".join(f"{line}\n" for line in (*_lines(lab), "# EOF"))


def _lines(lab: Lab) -> Iterator[str]:
    scheduler = lab.scheduler
    leases = Counter(lease.state.value for lease in scheduler.leases())
    going = [state.value for state in State if not state.is_over]
    yield from _family("tester_leases", "gauge", "Leases by state.", "state", {s: leases[s] for s in going})
    ended = {s.value: lab.counts[s.value] for s in State if s.is_over}
    yield from _family("tester_leases_ended", "counter", "Leases that are over, by how.", "state", ended)
    yield from _single("tester_leases_granted", "counter", "Leases that were granted.", lab.counts["granted"])
    yield from _single(
        "tester_lease_wait_seconds",
        "counter",
        "Time that granted leases have waited.",
        round(lab.waited_s, 3),
    )
    yield from _single("tester_lease_fence", "gauge", "The newest fence.", scheduler.last_fence)
    fit = {name: int(name not in scheduler.unfit) for name in lab.places}
    yield from _family("tester_place_fit", "gauge", "Whether a place may be given.", "place", fit)
    used = {name: int(scheduler.holder(name) is not None) for name in lab.places}
    yield from _family(
        "tester_place_used", "gauge", "Whether a place, or one of its group, is in use.", "place", used
    )
    jobs = Counter(job.state.value for job in lab.jobs.all() if not job.state.is_over)
    states = ("waiting", "running")
    yield from _family("tester_jobs", "gauge", "Jobs by state.", "state", {s: jobs[s] for s in states})
    yield from _family(
        "tester_jobs_ended", "counter", "Jobs that are over, by outcome.", "outcome", lab.jobs.counts
    )


def _family(name: str, kind: str, text: str, label: str, values: Mapping[str, float]) -> Iterator[str]:
    yield from _head(name, kind, text)
    total = "_total" if kind == "counter" else ""
    for value, count in sorted(values.items()):
        yield f'{name}{total}{{{label}="{_escaped(value)}"}} {count}'


def _single(name: str, kind: str, text: str, value: float) -> Iterator[str]:
    yield from _head(name, kind, text)
    yield f"{name}{'_total' if kind == 'counter' else ''} {value}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# TYPE {name} {kind}"
    yield f"# HELP {name} {text}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
