# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads what a tester must have done for a trial to count: `resources/criteria/evidence.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ..errors import TesterLibraryError, UnitError
from ..measurement.evidence import EvidenceLimits
from ..model.units import Duration, Ratio
from .paths import resource

_VERSION = 1


def _number_of(what: str) -> Callable[[object], int]:
    def parse(text: object) -> int:
        if not isinstance(text, int) or text < 0:
            raise UnitError(f"{text!r} is not a number of {what}; write a whole number from 0")
        return text

    return parse


_frames = _number_of("frames")


_KEYS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "shortfall": ("max_shortfall", lambda text: Ratio.parse(text).value),
    "rate_error": ("max_rate_error", lambda text: Ratio.parse(text).value),
    "tester_drops": ("max_tester_drops", _frames),
    "worker_gap": ("max_worker_gap_ns", lambda text: Duration.parse(text).ns),
    "pause": ("max_pause_ns", lambda text: Duration.parse(text).ns),
    "clock_drift": ("max_clock_drift", lambda text: Ratio.parse(text).value),
    "backlog_drops": ("max_backlog_drops", _frames),
    "steal": ("max_steal", lambda text: Ratio.parse(text).value),
    "links_down": ("max_links_down", _number_of("ports")),
    "calibration_age": ("max_calibration_age_ns", lambda text: Duration.parse(text).ns),
}


def evidence_limits(path: Path | None = None) -> EvidenceLimits:
    """The limits of a file, or of the one that comes with the library; a key left out has its default.

    Raises:
        TesterLibraryError: not YAML of this version, an unknown key or a wrong value; names file and key.
    """
    path = path or resource("criteria", "evidence")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise TesterLibraryError(f"{path}: {error}") from None
    if not isinstance(content, dict) or content.get("version") != _VERSION:
        raise TesterLibraryError(f"{path}: not a criteria file of version {_VERSION}")
    limits = {}
    for key, text in (content.get("evidence") or {}).items():
        if key not in _KEYS:
            raise TesterLibraryError(f"{path}: evidence.{key} is not known; there are {', '.join(_KEYS)}")
        name, parse = _KEYS[key]
        try:
            limits[name] = parse(text)
        except UnitError as error:
            raise TesterLibraryError(f"{path}: evidence.{key}: {error}") from None
    return EvidenceLimits(**limits)
