# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A switch that does not exist: its daemon, its tables, and packets that do what the tables say."""

from __future__ import annotations

from .daemon import FakeDaemon, FakeSwitch
from .pipelines import MakesPipelines
from .wire import Bridge, Wire

__all__ = ["Bridge", "FakeDaemon", "FakeSwitch", "MakesPipelines", "Wire"]
