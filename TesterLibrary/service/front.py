# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page at `/`: for people who come with a browser, what there is and where it goes on."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .job import Job
from .lab import Lab
from .ledger import Caller

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_JOBS = 20  # the newest ones
_STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.5 sans-serif;margin:2em;max-width:70em}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em .2em 0;text-align:left;vertical-align:top}"
)


def front(lab: Lab, caller: Caller) -> str:
    """Places with who has them, and the newest jobs with the way to their pages and reports."""
    places = (
        (
            escape(name),
            escape(place.testbed.dut.name),
            escape(lab.scheduler.unfit.get(name, "") or "fit"),
            escape(holder.owner if (holder := lab.scheduler.holder(name)) else "free"),
        )
        for name, place in lab.places.items()
    )
    jobs = (
        (escape(job.title), escape(job.place), escape(job.owner), escape(_state(job)), _ways(job))
        for job in list(lab.jobs.all())[::-1][:_JOBS]
    )
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>tester serve</title>'
        f"<style>{_STYLE}</style><h1>Testers that a lab shares</h1>"
        f"<p>You are {escape(caller.name)}, {caller.role.value}. This is an API: "
        '<a href="/openapi.json">what can be asked</a>; docs/service.md has examples.</p>'
        f"<h2>Places</h2>{_table(('place', 'device', 'health', 'used by'), places)}"
        f"<h2>Newest jobs</h2>{_table(('job', 'place', 'of', 'state', 'see'), jobs)}</html>"
    )


def _state(job: Job) -> str:
    return f"{job.state.value}: {job.outcome}" if job.outcome else job.state.value


def _ways(job: Job) -> str:
    parts = {"log": "log", "live page": "live/", "certificate": "reports/certificate.html"}
    if not job.state.is_over:
        del parts["certificate"]
    return " · ".join(f'<a href="/v1/jobs/{job.id}/{path}">{name}</a>' for name, path in parts.items())


def _table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{name}" for name in names)
    lines = ["".join(f"<td>{cell}" for cell in row) for row in rows]
    if not lines:
        return "<p>None yet.</p>"
    return f"<table><tr>{head}{''.join(f'<tr>{line}' for line in lines)}</table>"
