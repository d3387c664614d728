# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The chip resources that a compiled program uses, from the compiler's resources.json and phv.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import PlanError

_PER_STAGE = {"sram": 80, "tcam": 24, "stateful_units": 4, "counter_units": 4, "tables": 16}
_LABELS = ("stages", "SRAM", "TCAM", "meters", "registers", "counters", "tables", "PHV bits")


@dataclass(frozen=True)
class Use:
    """Resources used by one gress of a pipeline. Meters and registers share stateful units."""

    pipeline: str
    gress: str
    stages: int
    sram: int  # blocks
    tcam: int  # blocks
    meters: int
    registers: int
    counters: int
    tables: int
    phv_bits: int


@dataclass(frozen=True)
class ChipResources:
    """The resources of a pipeline; ingress and egress share all of them except the stages."""

    stages: int
    phv_bits: int

    def most(self) -> Mapping[str, int]:
        """The highest possible values, by the names of `Use`."""
        return {
            "stages": self.stages,
            "sram": self.stages * _PER_STAGE["sram"],
            "tcam": self.stages * _PER_STAGE["tcam"],
            "meters": self.stages * _PER_STAGE["stateful_units"],
            "registers": self.stages * _PER_STAGE["stateful_units"],
            "counters": self.stages * _PER_STAGE["counter_units"],
            "tables": self.stages * _PER_STAGE["tables"],
            "phv_bits": self.phv_bits,
        }


@dataclass(frozen=True)
class Resources:
    """The uses of all gresses of a program, and the resources of the chip."""

    compiler: str
    chip: ChipResources
    uses: tuple[Use, ...]

    def record(self) -> dict[str, Any]:
        """The resources as they are written to JSON."""
        return {
            "compiler": self.compiler,
            "chip": dict(self.chip.most()),
            "uses": [asdict(use) for use in self.uses],
        }

    def table(self) -> str:
        """A table for people: a line for each gress, and in the last line the resources of a pipeline."""
        rows: list[tuple[str, ...]] = [("pipeline", "gress", *_LABELS)]
        rows += [tuple(map(str, asdict(use).values())) for use in self.uses]
        rows.append(("of a pipeline", "both", *map(str, self.chip.most().values())))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if column < 2 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )


def resources(output: Path) -> Resources:
    """Reads the reports that a compiler wrote to a folder, a pipeline in each subfolder.

    Raises:
        PlanError: there is no report in it, or a gress has more stages than the chip.
    """
    found = sorted(output.glob("*/logs/resources.json"))
    if not found:
        raise PlanError(f"{output} has no resources.json: the compiler wrote no report of a pipeline")
    uses: list[Use] = []
    for path in found:
        report, phv = _read(path), _read(path.with_name("phv.json"))
        pipeline = path.parent.parent
        tables = _read(pipeline / "context.json")["tables"]
        gresses = {table["name"]: table["direction"] for table in tables}
        uses += (_use(pipeline.name, gress, report["resources"], phv, gresses) for gress in _GRESSES)
    chip = ChipResources(
        report["resources"]["mau"]["nStages"], _phv_bits(report["resources"]["phv_containers"])
    )
    for use in uses:
        if use.stages > chip.stages:
            raise PlanError(
                f"stages of the {use.gress} of {use.pipeline}: {use.stages} needed, {chip.stages} there, "
                f"{use.stages - chip.stages} too many; build with fewer or shorter protocols"
            )
    return Resources(report["compiler_version"], chip, tuple(uses))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise PlanError(f"{path} is no report of a compiler: {problem}") from problem


def _use(
    pipeline: str, gress: str, report: Mapping[str, Any], phv: Mapping[str, Any], gresses: Mapping[str, str]
) -> Use:
    stages = report["mau"]["mau_stages"]
    tables = {name for name, direction in gresses.items() if direction == gress}
    taken = {kind: list(_taken(stages, kind, tables)) for kind in _PLACES}
    units = [use for _, uses in taken["meter_alus"] for use in uses]
    used = {number for kind in taken.values() for number, _ in kind}
    return Use(
        pipeline=pipeline,
        gress=gress,
        stages=max(used, default=-1) + 1,
        sram=len(taken["rams"]),
        tcam=len(taken["tcams"]),
        meters=units.count("meter_ram"),
        registers=units.count("stateful_ram"),
        counters=len(taken["statistic_alus"]),
        tables=len(taken["logical_tables"]),
        phv_bits=sum(c["bit_width"] for c in phv["containers"] if c["gress"] == gress and c["slices"]),
    )


_GRESSES = ("ingress", "egress")

_PLACES = {
    "rams": "srams",
    "tcams": "tcams",
    "meter_alus": "meters",
    "statistic_alus": "stats",
    "logical_tables": "ids",
}


def _taken(
    stages: Iterable[Mapping[str, Any]], kind: str, tables: set[str]
) -> Iterator[tuple[int, list[str]]]:
    """Stages and uses of each element that one of these tables takes."""
    for stage in stages:
        for element in stage[kind][_PLACES[kind]]:
            usages = element.get("usages") or [{"used_by": element.get("table_name", ""), "used_for": ""}]
            uses = [usage["used_for"] for usage in usages if usage["used_by"] in tables]
            if uses:
                yield stage["stage_number"], uses


def _phv_bits(phv: Mapping[str, Any]) -> int:
    return sum(kind["width"] * kind["units"] for space in phv.values() for kind in space)
