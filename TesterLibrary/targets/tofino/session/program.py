# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The notes that `tester p4 build` writes beside a program's outputs: its protocols, queues and fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ....errors import PlanError
from ....planning.switch.chip import Chip, chip_of

NOTES = "program.json"
SCHEMA = "bf-rt.json"
LOOPING, _FORWARDING = "internal", "path"  # pipelines, by their names in p4/


@dataclass(frozen=True)
class Program:
    """Facts about a compiled program; a driver that derived them itself could be wrong."""

    profile: str
    protocols: tuple[str, ...]
    queues: Mapping[str, int]  # by protocol and template: `http-get.content`
    own_fields: Mapping[str, int]  # bits of the fields of user's headers that editors can change
    pipes: Mapping[str, tuple[int, ...]]  # that run each of its pipelines

    @property
    def internal_pipes(self) -> tuple[int, ...]:
        """The pipes whose ports loop."""
        return self.pipes.get(LOOPING, ())

    @property
    def has_paths(self) -> bool:
        """Whether it forwards the frames of others, and does nothing else."""
        return _FORWARDING in self.pipes

    @property
    def chip(self) -> Chip:
        """The chip that it is compiled for. PlanError as chip_of."""
        return chip_of(self.profile)

    @classmethod
    def load(cls, folder: Path) -> Program:
        """The program in a folder of outputs. PlanError if it has no notes."""
        path = folder / NOTES
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                profile=found["profile"],
                protocols=tuple(found["protocols"]),
                queues=dict(found["queues"]),
                own_fields=dict(found["own_fields"]),
                pipes={name: tuple(numbers) for name, numbers in found["pipes"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise PlanError(f"{path} does not say what a program was built with: {problem!r}") from problem

    def check(self, protocol: str) -> None:
        """PlanError for a protocol that the program was not built with."""
        if protocol not in self.protocols:
            there = ", ".join(self.protocols)
            raise PlanError(
                f"the program of the switch was built without {protocol}; it has {there}: "
                f"tester p4 build {self.profile} --protocol {protocol}"
            )
