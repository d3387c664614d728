# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester and a device under test that do not exist, for trying out suites and code without either."""

from __future__ import annotations

from .bench import fake_port
from .damage import FakeDamage
from .device import FakeDevice, FakePath
from .nat import FakeNat
from .target import FakeTarget

__all__ = ["FakeDamage", "FakeDevice", "FakeNat", "FakePath", "FakeTarget", "fake_port"]
