# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Circumstances of a run for other tools: testbed, device, version, profile and tester."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..record.records import device_text


def attributes(run: Mapping[str, Any], testers: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """These of some testers of a run; what is not known is left out."""
    beds = [tester.get("testbed") or {} for tester in testers]
    devices = [bed.get("dut") or {} for bed in beds]
    targets = [tester.get("tester") or {} for tester in testers]
    profile = (run.get("profile") or {}).get("name", "")
    values = {
        "testbed": (bed.get("name", "") for bed in beds),
        "device": map(device_text, devices),
        "version": (device.get("version", "") for device in devices),
        "profile": [profile] if profile else _profiles(testers),
        "tester": map(_tester, targets),
    }
    listed = {name: ", ".join(dict.fromkeys(str(v) for v in of if v)) for name, of in values.items()}
    return {name: text for name, text in listed.items() if text}


def _profiles(testers: Iterable[Mapping[str, str]]) -> list[str]:
    return [tester.get("profile", "") for tester in testers]


def _tester(target: Mapping[str, str]) -> str:
    return f"{target.get('target', '')} {target.get('version', '')}".strip()


def choice(run: Mapping[str, Any]) -> str:
    """The tags and names by which a part of the tests was chosen; empty if all were."""
    given = run.get("certification") or {}
    named = {"include": "with the tag", "exclude": "without the tag", "tests": "of the name"}
    return "; ".join(f"{text} {' or '.join(given[key])}" for key, text in named.items() if given.get(key))
