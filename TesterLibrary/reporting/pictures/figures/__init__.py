# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of a certificate, each with a text that says the same.

Each kind of result has a file, which registers itself; no list names it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence

from ...record.records import ResultRecord
from ..figure import Figure
from .registry import IN_LOG, MAKERS, Setting

__all__ = ["IN_LOG", "Figure", "Setting", "figures"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


def figures(records: Sequence[ResultRecord], setting: Setting) -> Iterator[Figure]:
    """Figures of all results, procedure by procedure in the order in which these were first run."""
    for kind in dict.fromkeys(type(record.result) for record in records):
        if kind in MAKERS:
            yield from MAKERS[kind]([record for record in records if type(record.result) is kind], setting)
