# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester and a device that do not exist, frame by frame: testbeds `simulated/...` name them."""

from __future__ import annotations

from .target import SimulatedTarget

__all__ = ["SimulatedTarget"]
