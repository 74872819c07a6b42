"""What is spent of a budget, and what is left."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, TypedDict, Union

from .program import InputError, Number, SafeFloat, ask, number, text, to_json


Neighbours = Union[str, Mapping[str, int]]  # "add-or-remove", "replace", or {"group": 2}


class Event(TypedDict, total=False):
    """A mechanism that was run, see docs/reference/account.md: the ε of each part of its outputs, and the part."""

    mechanism: str
    parts: Mapping[str, Union[Number, Mapping[str, Number]]]
    delta: Number
    observed: str
    time: str
    note: str
    partition: str
    dp: Mapping[str, Number]
    neighbours: Neighbours  # of all events of an account the same


@dataclass(frozen=True)
class Cost:
    """An ε and a δ."""

    eps: SafeFloat
    delta: SafeFloat


@dataclass(frozen=True)
class Account:
    """An account after its events, up to the first that was refused."""

    events: int
    spent: Cost
    remaining: Optional[Cost]  # None without a budget
    fits_eps: Optional[SafeFloat]  # the largest ε of a mechanism that still fits
    spent_without_odp: Cost


def account(events: Iterable[Event], *, eps: Optional[Number] = None, delta: Optional[Number] = None,
            rule: str = "sum", leak: Optional[Number] = None, state: Union[str, os.PathLike[str], None] = None,
            new_state: bool = False, reopen: bool = False, dry_run: bool = False) -> Account:
    """Spends a budget of `eps` and `delta` on the events, in their order; without a budget it adds them up.

    Refuted is raised if an event does not fit: the account ends there, and `result` is what it was before. `state`
    is a file that keeps what is spent, begun with `new_state`. With `dry_run` nothing is charged.
    """
    lines = "".join(to_json(event) + "\n" for event in events)
    amounts = {key: text(most) for key, most in (("eps", eps), ("delta", delta)) if most is not None}
    for key, typed in amounts.items():
        if "," in typed or "=" in typed:  # it would say more than one number
            raise InputError(f"{key} is {typed!r}, must be a number")
    budget = ",".join(f"{key}={typed}" for key, typed in amounts.items())
    options = {"budget": budget or None, "rule": rule, "leak": leak, "state": state and os.fspath(state),
               "new-state": new_state, "reopen": reopen, "dry-run": dry_run}
    return ask("account", lines, options, read_account)


def cost(record: Mapping[str, Any]) -> Cost:
    return Cost(number(record, "eps"), number(record, "delta"))


def read_account(answer: Dict[str, Any]) -> Account:
    remaining, fits = answer["remaining"], answer.get("fits")
    return Account(answer["events"], cost(answer["spent"]), cost(remaining) if remaining else None,
                   number(fits, "eps") if fits else None, cost(answer["without_odp"]["spent"]))
