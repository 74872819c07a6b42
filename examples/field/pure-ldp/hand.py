#!/usr/bin/env python3
"""Counts what refutes claims about pure-LDP, with nothing but pure-LDP: hand.py NAME"""

import sys

from pure_ldp.frequency_oracles.histogram_encoding import HEClient
from pure_ldp.frequency_oracles.rappor import RAPPORClient

N = 10_000


def count(event, privatise, x, x2):
    a, b = (sum(event(privatise(given)) for _ in range(N)) for given in (x, x2))
    return f"{a:,} of {N:,} against {b:,}"


def rappor():
    """One cohort, one hash function: item 1 sets the first bit, item 2 the second."""
    f = RAPPORClient(f=1, m=4, hash_funcs=None).convert_eps_to_f(1)
    privatise = RAPPORClient(f=f, m=4, hash_funcs=[[int]], num_of_cohorts=1).privatise
    return f"f = {f}; first bit 0: " + count(lambda answer: answer[0][0] == 0, privatise, 2, 1)


def bits():
    client = HEClient(1, 4)
    return "no multiple of 2⁻⁵³: " + count(lambda y: (y[0] * 2.0**53) % 1 != 0, client.privatise, 2, 1)


HANDS = {
    "version": lambda: "pure-LDP 1.2.0",
    "rappor": rappor,
    "histogram-encoding-bits": bits,
}

if sys.argv[1] in HANDS:
    print(HANDS[sys.argv[1]]())
