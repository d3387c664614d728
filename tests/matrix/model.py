# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbeds of the vendor's model of a chip: the embedded ones, with another tester."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

_IMPORT = re.compile(r"^Resource\s+(\S+)", re.MULTILINE)
_TESTBED = re.compile(r"^\$\{TESTBED\}\s+embedded/(\S+)", re.MULTILINE)
_SHIPPED = Path(__file__).parents[2] / "resources" / "testbeds" / "embedded"
_BOUNDS = Path(__file__).with_name("bounds.yaml")
_LATENCIES, _SLOWER = ("20 ms", "30 ms"), "3 s"  # bounds: the model is slow, and moves its clock in steps
_WRITTEN = Path("results") / "matrix"
SPEED = "100 kbps"  # 149 frames of 64 bytes each second: the model keeps that
_SLOWER_PORTS = {"arp-router": "50 kbps"}  # where a port has frames of two streams
_ON_CABLES = ("path-", "stamped-", "rdma-")  # testbeds with the tester between others: the program of paths
_SHAPED = {"rate": "15 kbps", "burst": 1860, "queue": 1860}  # 15 frames of 128 bytes each


def on_own_device(suite: Path) -> Sequence[str]:
    """The variable that names a suite's own testbed, or that of a resource, with the model as its tester."""
    texts = [suite.read_text(encoding="utf-8")]
    texts += [(suite.parent / name).read_text(encoding="utf-8") for name in _IMPORT.findall(texts[0])]
    name = next(found[1] for text in texts if (found := _TESTBED.search(text)))
    return (f"TESTBED:{_WRITTEN / name}.yaml",)


def model_bounds() -> str:
    """The variable that names the bounds of the devices of such testbeds."""
    return f"CRITERIA_FILE:{_WRITTEN / _BOUNDS.name}"


def write_testbeds() -> None:
    """Writes the files of all such testbeds, and their bounds."""
    _WRITTEN.mkdir(parents=True, exist_ok=True)
    text = _BOUNDS.read_text(encoding="utf-8")
    for bound in _LATENCIES:
        text = text.replace(f": {bound}", f": {_SLOWER}")
    (_WRITTEN / _BOUNDS.name).write_text(text, encoding="utf-8")
    for shipped in sorted(_SHIPPED.glob("*.yaml")):
        data = yaml.safe_load(shipped.read_text(encoding="utf-8"))
        switch = {"address": "model"} | ({"build": "inline"} if shipped.stem.startswith(_ON_CABLES) else {})
        data |= {"name": f"model-{data['name']}", "tester": {"switch": switch}}
        for port in data["ports"]:
            port["speed"] = _SLOWER_PORTS.get(shipped.stem, SPEED)
        if shipped.stem == "shaper":
            data["dut"]["options"] = _SHAPED
        (_WRITTEN / shipped.name).write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
