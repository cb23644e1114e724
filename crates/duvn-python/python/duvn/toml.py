"""Experiments as TOML text, from dictionaries."""

from __future__ import annotations

import json
from typing import Any


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        # A JSON string is a TOML basic string.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(one)}" for key, one in value.items()) + " }"
    raise TypeError(f"{value!r} cannot stand in an experiment: write numbers, texts, lists and dictionaries")


def dumps(experiment: dict[str, Any]) -> str:
    """A dictionary as TOML: plain values first, tables and lists of tables in one line each."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in experiment.items() if value is not None)
