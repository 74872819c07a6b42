#!/usr/bin/env python3
"""The samplers of discretegauss (Canonne, Kamath and Steinke), that checkrr can audit."""

import pathlib
import random
import sys
from fractions import Fraction

import discretegauss

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from serve import serve

SIGMA2 = Fraction(13, 2)


def adds(sampler, scale):
    """An integer with noise of exact rational arithmetic."""
    def mechanism(x, rng):
        source = random.Random(int(rng.randint(2**31)))
        return lambda: x + sampler(scale, rng=source)
    return mechanism


MECHANISMS = {
    "laplace": adds(discretegauss.sample_dlaplace, 1),
    "gaussian": adds(discretegauss.sample_dgauss, SIGMA2),
}

if __name__ == "__main__":
    serve(MECHANISMS)
