# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads what a tester must have done for a trial to count: `resources/criteria/evidence.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..measurement.evidence import EvidenceLimits
from ..model.units.units import Duration, Ratio
from .document import Kind, load_document
from .paths import resource

_KIND = Kind("evidence", TesterLibraryError)
_KEYS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "shortfall": ("max_shortfall", lambda text: Ratio.parse(text).value),
    "rate_error": ("max_rate_error", lambda text: Ratio.parse(text).value),
    "tester_drops": ("max_tester_drops", int),
    "worker_gap": ("max_worker_gap_ns", lambda text: Duration.parse(text).ns),
    "pause": ("max_pause_ns", lambda text: Duration.parse(text).ns),
    "clock_drift": ("max_clock_drift", lambda text: Ratio.parse(text).value),
    "backlog_drops": ("max_backlog_drops", int),
    "steal": ("max_steal", lambda text: Ratio.parse(text).value),
    "links_down": ("max_links_down", int),
    "calibration_age": ("max_calibration_age_ns", lambda text: Duration.parse(text).ns),
}


def evidence_limits(path: Path | None = None) -> EvidenceLimits:
    """The limits of a file, or of the one that comes with the library; a key left out has its default.

    Raises:
        TesterLibraryError: it is not YAML of this version, or a key is wrong; file and line are named.
    """
    document = load_document(path or resource("criteria", "evidence"), _KIND)
    limits = {}
    for key, value in document.data.get("evidence", {}).items():
        name, parse = _KEYS[key]
        limits[name] = document.parsed(parse, value, ("evidence", key))
    return EvidenceLimits(**limits)
