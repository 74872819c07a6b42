#!/usr/bin/env python3
"""The clients of pure-LDP, which make one person's item private, that checkrr can audit.

Where a client sends a hash function with its answer, the output is what the answer says of
each item of the domain: a function of what is sent alone, and all that servers use of it."""

import pathlib
import random
import sys

import numpy as np
import xxhash

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from pure_ldp.frequency_oracles.apple_cms import CMSClient
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient
from pure_ldp.frequency_oracles.histogram_encoding import HEClient
from pure_ldp.frequency_oracles.local_hashing import LHClient
from pure_ldp.frequency_oracles.rappor import RAPPORClient
from pure_ldp.frequency_oracles.unary_encoding import UEClient

from serve import serve

EPS = 1
D = 4  # items are 1 to D


def client(make, seen=lambda answer, made: answer):
    """What is seen of the answers of a client. The library draws from random and numpy.random."""
    def mechanism(x, rng):
        random.seed(int(rng.randint(2**31)))
        np.random.seed(int(rng.randint(2**31)))
        made = make()
        return lambda: seen(made.privatise(x), made)
    return mechanism


def supported(answer, made):
    """Which items an answer of local hashing supports."""
    value, seed = answer
    return [xxhash.xxh32(str(index), seed=seed).intdigest() % made.g == value for index in range(D)]


def rappor():
    """RAPPOR with one cohort and one hash function, its f from its own convert_eps_to_f."""
    made = RAPPORClient(f=1, m=D, hash_funcs=[[int]], num_of_cohorts=1)
    return RAPPORClient(f=made.convert_eps_to_f(EPS), m=D, hash_funcs=[[int]], num_of_cohorts=1)


def sketch(hadamard):
    """Apple's sketches; the output is the answer with the number of its hash function."""
    functions = [lambda item, i=i: (int(item) + i) % 8 for i in range(2)]
    return client(lambda: CMSClient(EPS, functions, 8, is_hadamard=hadamard),
                  lambda answer, made: [np.asarray(part).tolist() for part in answer])


MECHANISMS = {
    "direct-encoding": client(lambda: DEClient(EPS, D)),
    "unary-encoding": client(lambda: UEClient(EPS, D)),
    "unary-encoding-optimized": client(lambda: UEClient(EPS, D, use_oue=True)),
    "histogram-encoding": client(lambda: HEClient(EPS, D)),
    "local-hashing": client(lambda: LHClient(EPS, D), supported),
    "local-hashing-optimized": client(lambda: LHClient(EPS, D, use_olh=True), supported),
    "hadamard-response": client(lambda: HadamardResponseClient(EPS, D, None)),
    "hadamard-mechanism": client(lambda: HadamardMechClient(EPS, D, 2),
                                 lambda answer, made: [list(each) for each in answer]),
    "sketch": sketch(False),
    "sketch-hadamard": sketch(True),
    "rappor": client(rappor, lambda answer, made: answer[0]),
}

if __name__ == "__main__":
    serve(MECHANISMS)
