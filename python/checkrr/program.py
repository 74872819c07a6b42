"""Asks the program checkrr, and makes numbers and errors of what it says."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar, Union

Number = Union[str, int, float, Decimal, Fraction]
Answer = TypeVar("Answer")

SCHEMA_VERSION = 2


class Error(Exception):
    """There is no answer without reservation; `result` is what was computed all the same, or None."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class InputError(Error, ValueError):
    """What was asked is not right; the message says what must be instead."""


class Refuted(Error):
    """What was to be confirmed is not so: more than `at_most`, or more than a budget has left."""


class Inconclusive(Error):
    """Less precise than asked for, or nothing was found in time. What `result` says holds."""


# Options without a value.
FLAGS = ("exact", "new-state", "reopen", "dry-run")

FAILURES = {1: Refuted, 2: InputError, 3: Inconclusive}


class SafeFloat(float):
    """A double on the safe side of a number: what is charged or spent is rounded up, what is left down.

    `exact` is that number as text: a decimal, a ratio, or a sum such as "0.3 + ln(3)"; None if it is too long.
    """

    exact: Optional[str]

    def __new__(cls, value: float, exact: Optional[str] = None) -> SafeFloat:
        self = super().__new__(cls, value)
        self.exact = exact
        return self


def number(record: Mapping[str, Any], key: str) -> SafeFloat:
    """The number at a key of an answer. There, null is beyond all doubles."""
    value = record[key]
    if value is None:
        return SafeFloat(math.inf, record.get(key + "_exact"))
    return SafeFloat(value, record.get(key + "_exact", repr(value)))


def text(value: object) -> str:
    """A number as it was typed or found, or another value of an option; True and False are neither."""
    if isinstance(value, bool):
        raise InputError(f"{value} is bool, must be str, int, float, Decimal or Fraction")
    if isinstance(value, SafeFloat) and DECIMAL.fullmatch(value.exact or ""):
        return str(value.exact)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, Rational):
        return str(Fraction(value))
    return str(value)


DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|[0-9]+/[0-9]+")


def whole(name: str, value: object) -> int:
    """A whole number, such as 20; 20.0 is none."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} is {value!r}, must be a whole number")
    return int(value)


def to_json(value: object) -> str:
    """A problem or an event as checkrr reads it: one line, all numbers exact."""

    def exactly(value: object) -> object:
        if isinstance(value, Mapping):
            return {key: exactly(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [exactly(item) for item in value]
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, (Decimal, Rational, SafeFloat)):
            return text(value)
        if isinstance(value, float):
            return float(value)
        raise InputError(f"{value!r} is {type(value).__name__}, must be str, int, float, Decimal or Fraction")

    return json.dumps(exactly(value))


def executable() -> str:
    """The program: the environment's CHECKRR, else the one in this package, else the one on the path."""
    packed = Path(__file__).parent / "_bin" / ("checkrr.exe" if os.name == "nt" else "checkrr")
    found = os.environ.get("CHECKRR") or (str(packed) if packed.is_file() else shutil.which("checkrr"))
    if not found:
        raise FileNotFoundError("checkrr is not in this package and not on the path: set CHECKRR to where it is")
    return found


def ask(command: str, stdin: str, options: Mapping[str, object], read: Callable[[Dict[str, Any]], Answer]) -> Answer:
    """Runs a command on its standard input, and reads its JSON. Options that are None are not given, nor are flags that
    are False."""
    words = [executable(), command, "-", "--json"]
    for name, value in options.items():
        if isinstance(value, bool) and name not in FLAGS:
            raise InputError(f"{name} is {value}, must be str, int, float, Decimal or Fraction")
        if value is not None and value is not False:
            words.append(f"--{name}" if value is True else f"--{name}={text(value)}")
    done = subprocess.run(words, input=stdin, capture_output=True, encoding="utf-8")
    if done.returncode not in (0, *FAILURES):
        raise Error(f"{words[0]} ended with code {done.returncode}: {done.stderr.strip()}")
    result = None
    if done.stdout:
        answer = json.loads(done.stdout)
        if answer["schema_version"] != SCHEMA_VERSION:
            raise Error(f"{words[0]} has schema version {answer['schema_version']}, must be {SCHEMA_VERSION}")
        result = read(answer)
    if done.returncode or result is None:
        raise FAILURES.get(done.returncode, Error)(done.stderr.strip(), result)
    return result
