# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads profiles and criteria: YAML files that are Robot variable files as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from ..errors import TesterLibraryError, UnitError
from ..model.units import Duration, Rate, Ratio
from .paths import report_file

_FORMATS = jsonschema.FormatChecker(formats=())
_FORMATS.checks("duration-text", raises=UnitError)(lambda text: bool(Duration.parse(text)))
_FORMATS.checks("ratio", raises=UnitError)(lambda text: bool(Ratio.parse(text)))
_FORMATS.checks("rate", raises=UnitError)(lambda text: bool(Rate.parse(text)))


def read_settings(path: Path, kind: str) -> Any:
    """The content of a profile or of criteria (`kind`), checked against its schema.

    Raises:
        TesterLibraryError: it is not YAML, or a key is missing, unknown or of the wrong form.
    """
    schema = json.loads(report_file(f"schemas/{kind}.schema.json").read_text(encoding="utf-8"))
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        _refuse_numbers_as_keys(content)
        jsonschema.validate(content, schema, format_checker=_FORMATS)
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise TesterLibraryError(f"{path} cannot be read: {error}") from None
    except jsonschema.ValidationError as error:
        raise TesterLibraryError(f"{path}: {error.json_path.removeprefix('$.')}: {error.message}") from None
    return content[kind.upper()]


def _refuse_numbers_as_keys(content: Any) -> None:
    """YAML reads `64:` as a number, which `${CRITERIA.throughput}[64]` would not find."""
    for key, value in content.items() if isinstance(content, dict) else ():
        if not isinstance(key, str):
            raise ValueError(f'the key {key} is not a text; write "{key}" with quotes')
        _refuse_numbers_as_keys(value)
