# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tells a certification of a device from a demonstration of the tester."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEVICES = {
    "embedded": "the device is embedded in the machine of the tester",
    "simulated": "the device is simulated",
}

_TESTERS = {
    "fake": "the tester is a fake, which sends no frame",
    "simulated": "the tester is simulated, too, and sends no frame",
}


def demonstration(testbed: Mapping[str, Any], tester: Mapping[str, Any]) -> str:
    """Why a run on this testbed certifies no device; empty if it does. Both are as `run.json` has them."""
    switch = (testbed.get("tester") or {}).get("switch") or {}
    kind = (testbed.get("dut") or {}).get("kind", "physical")
    device = "" if kind == "physical" else _DEVICES.get(kind, f"the device is {kind}")
    reasons = (
        _TESTERS.get(str(tester.get("target")), ""),
        "the switch that tests is a fake" if switch.get("address") == "fake" else "",
        "the switch that tests is a model of its chip" if switch.get("model") else "",
        device,
    )
    return "; ".join(filter(None, reasons))


def of_run(run: Mapping[str, Any]) -> str:
    """The sentence that every page of a run shows; empty if each of its testbeds certifies a device."""
    found = [bool(tester.get("demonstration")) for tester in run["testers"]]
    if not any(found):
        return ""
    return f"{'a' if all(found) else 'in part a'} demonstration, not a certification"
