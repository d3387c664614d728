# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Criteria: the bounds of a device, which its suites read as `${CRITERIA}`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from .document import Kind, load_document

_KIND = Kind("criteria", TesterLibraryError, is_variable_file=True)


def load_criteria(path: Path) -> Any:
    """The content of a file of criteria. TesterLibraryError names file, line, key and what is allowed."""
    return load_document(path, _KIND).data


def criteria_values(path: Path) -> Mapping[str, Any]:
    """The bounds in a file. TesterLibraryError names file, line, key and what is allowed."""
    values: Mapping[str, Any] = load_document(path, _KIND).data["CRITERIA"]
    return values


def check_criteria(path: Path, *, testbed: str = "", layer: int | None = None) -> None:
    """Holds a file of criteria to its form, and to the device of a testbed.

    Args:
        path: the file.
        testbed: the name of the testbed whose device they are for.
        layer: that of the device; None if it is not known.

    Raises:
        TesterLibraryError: names file, line, key and what is allowed.
    """
    document = load_document(path, _KIND)
    other = of_another_layer(document.data["CRITERIA"], testbed, layer)
    if other:
        raise document.error(("CRITERIA", "layer"), other)


def of_another_layer(criteria: Mapping[str, Any], testbed: str, layer: int | None) -> str:
    """Says that the criteria are for a device of another layer than the testbed's; empty if they are not."""
    given = criteria.get("layer")
    if layer is None or given is None or given == layer:
        return ""
    return (
        f"these are criteria for a device of layer {given}, and that of the testbed {testbed!r} has layer "
        f"{layer}; give the criteria of this device"
    )
