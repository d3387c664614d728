# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for invalid requests: where, what was given, and what is allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_MOST = 10  # faults in one answer
_LONGEST = 100  # characters of what was given
_SAID = {  # by the type of a fault of pydantic
    "extra_forbidden": "there is no such key; {allowed}",
    "missing": "is missing; {allowed}",
    "json_invalid": "what was sent is no JSON: {error}",
    "float_type": "{given} is no number",
    "float_parsing": "{given} is no number",
    "finite_number": "{given} is no finite number",
    "int_type": "{given} is no whole number",
    "int_parsing": "{given} is no whole number",
    "int_parsing_size": "{given} is too large",
    "bool_type": "{given} is neither true nor false",
    "bool_parsing": "{given} is neither true nor false",
    "string_type": "{given} is no text",
    "dict_type": '{given} is no mapping, such as {{"speed": "100G"}}',
    "model_attributes_type": "{given} is no mapping; {allowed}",
    "greater_than_equal": "{given} is too small; give {ge:g} or more",
    "less_than_equal": "{given} is too much; give {le:g} or less",
    "string_too_short": "{given} is too short; give {min_length} characters or more",
    "string_too_long": "{given} is too long; give {max_length} characters or less",
    "too_long": "has too many entries; give {max_length} or less",
    "string_pattern_mismatch": "{given} is not allowed; give what fits {pattern}",
}


def sentence(faults: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> str:
    """The faults of a request in one sentence.

    Args:
        faults: as pydantic has them.
        keys: that the body of the request may have; none, if it has no body.
    """
    return "; ".join(_fault(fault, keys) for fault in faults[:_MOST])


def _fault(fault: Mapping[str, Any], keys: Sequence[str]) -> str:
    place = ".".join(str(step) for step in fault["loc"][1:])
    allowed = f"allowed are {', '.join(keys)}"
    if not place:
        place, allowed = "body", f"give JSON (Content-Type: application/json) with {', '.join(keys)}"
    elif fault["type"] == "json_invalid":
        place = f"character {place}"
    said = _SAID.get(fault["type"], str(fault["msg"]).replace("{", "{{").replace("}", "}}"))
    return f"{place}: {said.format(given=_given(fault), allowed=allowed, **fault.get('ctx', {}))}"


def _given(fault: Mapping[str, Any]) -> str:
    text = json.dumps(fault.get("input"), ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
