# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keyword components: one noun a file. A keyword is argument types, documentation and one call.

A component registers itself by being decorated; no list names it.
"""

from __future__ import annotations

import importlib
import pkgutil

from ..running.suite import Suite
from ._component import registered
from ._conversion import converters

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

CONVERTERS = converters(registered)
"""Robot's converters from the texts of a suite to the types of keywords' arguments."""


def components(suite: Suite) -> list[object]:
    """One of each keyword component of this package, around one suite."""
    return [component(suite) for component in registered]
