#!/usr/bin/env python3
"""Counts what refutes claims about diffprivlib, with nothing but diffprivlib: hand.py NAME

Each function draws N outputs of either input, from the system's randomness, which is what
diffprivlib takes if it is given no random_state, and counts an event.
"""

import math
import sys
import warnings

import numpy as np

import diffprivlib
from diffprivlib import mechanisms as dp
from diffprivlib import tools

warnings.simplefilter("ignore")
N = 10_000
NAN = math.nan


def count(event, draw, x, x2):
    return f"{sum(event(draw(x)) for _ in range(N)):,} of {N:,} against {sum(event(draw(x2)) for _ in range(N)):,}"


def off_grid(y):
    """Whether a number is no multiple of 2^-53."""
    return (y * 2.0**53) % 1 != 0


def bits(mechanism, x, x2):
    return "no multiple of 2⁻⁵³: " + count(off_grid, mechanism.randomise, x, x2)


def nanmean(x):
    return tools.nanmean(np.array(x), epsilon=1, bounds=(0, 1))


def nanvar(x):
    return tools.nanvar(np.array(x), epsilon=1, bounds=(0, 1))


def median(x):
    return tools.median(np.array(x), epsilon=1, bounds=(0, 2))


def weighted(x):
    return tools.histogram(x, epsilon=1, bins=2, range=(0, 1), weights=[10][:len(x)])[0][0]


HANDS = {
    "laplace-bits": lambda: bits(dp.Laplace(epsilon=1, sensitivity=1), 0, 1),
    "laplace-truncated-bits": lambda: bits(
        dp.LaplaceTruncated(epsilon=1, sensitivity=1, lower=0, upper=1), 0, 1),
    "gaussian-bits": lambda: bits(dp.Gaussian(epsilon=1, delta=1e-3, sensitivity=1), 0, 1),
    "staircase-bits": lambda: bits(dp.Staircase(epsilon=1, sensitivity=1), 0, 1),
    "laplace-wrong": lambda: "above 1: " + count(
        lambda y: y > 1, dp.Laplace(epsilon=1, sensitivity=1).randomise, 1, 0),
    "geometric-large": lambda: "not 2⁶⁰: " + count(
        lambda y: y != 2**60, dp.Geometric(epsilon=1).randomise, 2**60 + 129, 2**60 + 128),
    "nanmean": lambda: "at most 1/2: " + count(
        lambda y: y <= 0.5, nanmean, [0, NAN, NAN, NAN], [1, NAN, NAN, NAN]),
    "nanvar": lambda: "above 0.22: " + count(
        lambda y: y > 0.22, nanvar, [1, 0] + [NAN] * 8, [0, 0] + [NAN] * 8),
    "mean-nan": lambda: "NaN: " + count(
        math.isnan, lambda x: tools.mean(np.array(x), epsilon=1, bounds=(0, 1)), [NAN, 1, 1], [1, 1, 1]),
    "histogram-weights": lambda: "first bin at least 5: " + count(lambda y: y >= 5, weighted, [0], []),
    "median-bits": lambda: "no multiple of 2⁻⁵³: " + count(off_grid, median, [0.7, 1, 1], [1, 1, 1]),
}

if sys.argv[1] == "version":
    print(f"diffprivlib {diffprivlib.__version__}, numpy {np.__version__}")
elif sys.argv[1] in HANDS:
    print(HANDS[sys.argv[1]]())
