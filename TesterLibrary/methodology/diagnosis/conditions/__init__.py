# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions under which a device loses frames. Importing this package registers all of them."""

from importlib import import_module
from pkgutil import iter_modules

from .condition import Family, Occurrence, Symptoms, ValueSet, families, investigations

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Family", "Occurrence", "Symptoms", "ValueSet", "families", "investigations"]
