from decimal import Decimal
from fractions import Fraction

import pytest

import checkrr

EVENTS = [
    {"mechanism": "mean", "parts": {"all": "1/3"}, "delta": Decimal("1e-7"), "observed": "all"},
    {"mechanism": "svt", "parts": {"few": 0.3, "many": 1}, "delta": 0, "observed": "few"},
]


def test_sum():
    account = checkrr.account(EVENTS, eps=2, delta="1e-5")
    spent = Fraction(1, 3) + Fraction("0.3")
    assert Fraction(account.spent.eps.exact) == spent <= Fraction(account.spent.eps)
    assert Fraction(account.remaining.eps.exact) == 2 - spent >= Fraction(account.remaining.eps)
    assert Fraction(account.remaining.delta.exact) == Fraction("99e-7")
    assert 0 <= 2 - spent - Fraction(account.fits_eps) < 1e-15 and account.events == 2
    assert Fraction(account.spent_without_odp.eps.exact) == Fraction(4, 3)


def test_rule_with_a_leak():
    account = checkrr.account(EVENTS[:1], eps=8, delta="1e-5", rule="zcdp", leak="4e-6")
    assert Fraction(account.spent.delta.exact) == Fraction("6e-6") + Fraction("1e-7")


def test_without_budget():
    account = checkrr.account(EVENTS)
    assert account.remaining is None and account.fits_eps is None and account.events == 2


def test_budget_without_eps():
    with pytest.raises(checkrr.InputError, match="budget"):
        checkrr.account(EVENTS, delta="1e-5")
    with pytest.raises(checkrr.InputError, match="eps is '3,delta=0.5', must be a number"):
        checkrr.account(EVENTS, eps="3,delta=0.5")


def test_refused():
    with pytest.raises(checkrr.Refuted, match="svt is refused") as refused:
        checkrr.account(EVENTS, eps=1, delta=1e-5)
    assert refused.value.result.events == 1 and refused.value.result.spent.eps.exact == "1/3"


def test_faulty_event():
    with pytest.raises(checkrr.InputError, match=":3:1: parts is missing") as faulty:
        checkrr.account([*EVENTS, {"mechanism": "mean"}])
    assert faulty.value.result.events == 2


def test_state(tmp_path):
    state = tmp_path / "spent.json"
    budget = dict(eps=2, delta="1e-5", state=state)
    checkrr.account(EVENTS[:1], new_state=True, **budget)
    checkrr.account([{**EVENTS[1], "parts": {"few": 1}}], dry_run=True, **budget)
    assert checkrr.account(EVENTS[1:], **budget).events == 2
    with pytest.raises(checkrr.InputError):
        checkrr.account(EVENTS, new_state=True, **budget)
