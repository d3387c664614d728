# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Criteria: the bounds of a device, which its suites read as `${CRITERIA}`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from .document import Kind, load_document
from .paths import data_root

_KIND = Kind("criteria", TesterLibraryError, is_variable_file=True)


def criteria_file(testbed: str) -> Path:
    """The bounds of a testbed's device: those of `lab.yaml` in `lab-criteria.yaml`, else shipped ones.

    Shared resources of suites find them by this where `CRITERIA_FILE` is not given.

    Raises:
        TesterLibraryError: there are none; it says how to give some.
    """
    path = Path(testbed).expanduser()
    beside = path.with_name(f"{path.stem}-criteria.yaml")
    file = beside if path.suffix else _folder() / f"{testbed}.yaml"
    if file.is_file():
        return file.resolve()
    write = f"write {beside}, which is found by its name, or " if path.suffix else ""
    raise TesterLibraryError(
        f"there are no criteria for the testbed {testbed!r}; {write}give a file with bounds for it by "
        f"--criteria, by criteria: in a campaign, or to robot by --variable CRITERIA_FILE:FILE. {to_copy()}"
    )


def to_copy() -> str:
    """The shipped testbeds that have criteria, and where these are."""
    found = sorted(_folder().glob("embedded/*.yaml"))
    known = ", ".join(str(path.relative_to(_folder()).with_suffix("")) for path in found)
    return f"Shipped are those of {known}, to be copied from {_folder()}"


def _folder() -> Path:
    return data_root() / "resources" / "criteria"


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
