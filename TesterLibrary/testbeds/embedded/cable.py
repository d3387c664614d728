# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""No device at all: cables from one half of the tester's ports to the other, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import DutPort, device

if TYPE_CHECKING:
    from ..namespace import Namespace

CABLE = "cable"


@device(CABLE)
def build(namespace: Namespace, ports: Sequence[DutPort]) -> None:
    """There is nothing to build: the host has connected the ports to each other."""
