#!/usr/bin/env python3
"""Mechanisms with the noise that autodp's calibrators ask for, that checkrr can audit.

autodp draws no noise: it says how much is needed, and the noise here is numpy's."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from autodp import rdp_acct  # must come before privacy_calibrator, which imports it in a circle
from autodp import privacy_calibrator as calibrator

from serve import serve

ROUNDED = 6  # decimals: after the noise, so that last bits tell nothing


def laplace(scale):
    return lambda x, rng: lambda: round(x + rng.laplace(0, scale), ROUNDED)


def gaussian(sigma):
    return lambda x, rng: lambda: round(x + rng.normal(0, sigma), ROUNDED)


def sampled_gaussian(sigma, share):
    """A sum of which a sample of the records is taken, each with the same probability."""
    def draw(x, rng):
        return round(sum(e for e in x if rng.random_sample() < share) + rng.normal(0, sigma), ROUNDED)
    return lambda x, rng: lambda: draw(x, rng)


def randomized_response(p):
    return lambda x, rng: lambda: x if rng.random_sample() < p else 1 - x


MECHANISMS = {
    "laplace": laplace(calibrator.laplace_mech(1, 0)["b"]),
    "laplace-scale-1": laplace(1.0),
    "randomized-response": randomized_response(calibrator.randresponse_mech(1, 0)["p"]),
    "gaussian-rdp": gaussian(calibrator.gaussian_mech(1, 1e-3)["sigma"]),
    "gaussian-analytic": gaussian(calibrator.ana_gaussian_mech(1, 1e-3)["sigma"]),
    "gaussian-sampled": sampled_gaussian(calibrator.gaussian_mech(1, 1e-3, prob=0.1)["sigma"], 0.1),
    "gaussian-sigma-1": gaussian(1.0),
}

if __name__ == "__main__":
    serve(MECHANISMS)
