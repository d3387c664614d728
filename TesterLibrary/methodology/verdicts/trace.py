# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on traces of paths: whether every packet is in them."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TesterLibraryError
from ...measurement.traces.trace import PathTrace
from ...verdict import EQUAL, Verdict, assess


def traces_complete(traces: Sequence[PathTrace]) -> Verdict:
    """Whether all four conditions hold for each trace. Never FAIL: a hole says nothing about the device.

    Raises:
        TesterLibraryError: there is no trace.
    """
    if not traces:
        raise TesterLibraryError("there is no trace to verify; call Start Trace and Stop Trace before")
    conditions = [condition for trace in traces for condition in trace.conditions]
    held = sum(condition.holds for condition in conditions)
    return assess(
        held,
        EQUAL,
        len(conditions),
        subject=f"conditions of a complete trace of path {' and '.join(trace.path for trace in traces)}",
        measured=f"{held} of {len(conditions)}",
        bound="all",
        doubt="; ".join(filter(None, (trace.doubt for trace in traces))),
    )
