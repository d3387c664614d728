# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keyword components: one noun a file. A keyword is argument types, documentation and one call.

A component registers itself by being decorated; no list names it.
"""

from __future__ import annotations

import importlib
import pkgutil

from ..session import Session
from ._component import registered


def components(session: Session) -> list[object]:
    """One of each keyword component of this package, around one session."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return [component(session) for component in registered]
