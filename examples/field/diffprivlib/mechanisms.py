#!/usr/bin/env python3
"""Mechanisms and tools of diffprivlib, that checkrr can audit. The first argument names one."""

import pathlib
import sys
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from diffprivlib import mechanisms as dp
from diffprivlib import tools

from serve import serve

warnings.simplefilter("ignore")
DELTA = 1e-3


def adds(cls, **settings):
    """A mechanism of one number, or one text."""
    def mechanism(x, rng):
        instance = cls(random_state=rng, **settings)
        return lambda: instance.randomise(x)
    return mechanism


def chooses(cls):
    """A mechanism that chooses one of the candidates whose utilities are the input."""
    def mechanism(x, rng):
        instance = cls(epsilon=1, sensitivity=1, utility=x, random_state=rng)
        return instance.randomise
    return mechanism


def tool(function, **settings):
    """A tool for a list of numbers; null is NaN."""
    def mechanism(x, rng):
        array = np.array([np.nan if each is None else each for each in x])
        return lambda: function(array, epsilon=1, random_state=rng, **settings)
    return mechanism


def histogram(weights=None):
    """A histogram of two bins; each number counts as often as its weight says."""
    def mechanism(x, rng):
        return lambda: tools.histogram(x, epsilon=1, bins=2, range=(0, 1), random_state=rng,
                                       weights=weights and weights[:len(x)])[0]
    return mechanism


def bingham(x, rng):
    """The first eigenvector of a matrix; its sign tells nothing, and is taken away."""
    instance = dp.Bingham(epsilon=1, sensitivity=1, random_state=rng)
    matrix = np.array(x, dtype=float)

    def draw():
        vector = instance.randomise(matrix)
        return vector * np.sign(vector[0])
    return draw


UNIT = {"lower": 0, "upper": 1}
SHOPS = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]
MECHANISMS = {
    "laplace": adds(dp.Laplace, epsilon=1, sensitivity=1),
    "laplace-delta": adds(dp.Laplace, epsilon=1, delta=0.1, sensitivity=1),
    "laplace-truncated": adds(dp.LaplaceTruncated, epsilon=1, sensitivity=1, **UNIT),
    "laplace-folded": adds(dp.LaplaceFolded, epsilon=1, sensitivity=1, **UNIT),
    "laplace-bounded-domain": adds(dp.LaplaceBoundedDomain, epsilon=1, sensitivity=1, **UNIT),
    "laplace-bounded-domain-delta": adds(dp.LaplaceBoundedDomain, epsilon=1, delta=0.1, sensitivity=1, **UNIT),
    "laplace-bounded-noise": adds(dp.LaplaceBoundedNoise, epsilon=1, delta=0.1, sensitivity=1),
    "gaussian": adds(dp.Gaussian, epsilon=1, delta=DELTA, sensitivity=1),
    "gaussian-analytic": adds(dp.GaussianAnalytic, epsilon=1, delta=DELTA, sensitivity=1),
    "gaussian-discrete": adds(dp.GaussianDiscrete, epsilon=1, delta=DELTA),
    "geometric": adds(dp.Geometric, epsilon=1),
    "geometric-truncated": adds(dp.GeometricTruncated, epsilon=1, lower=0, upper=3),
    "geometric-folded": adds(dp.GeometricFolded, epsilon=1, lower=0, upper=3),
    "snapping": adds(dp.Snapping, epsilon=1, sensitivity=1, lower=0, upper=10),
    "staircase": adds(dp.Staircase, epsilon=1, sensitivity=1),
    "uniform": adds(dp.Uniform, delta=0.1, sensitivity=1),
    "binary": adds(dp.Binary, epsilon=1, value0="no", value1="yes"),
    "hierarchical": adds(dp.ExponentialHierarchical, epsilon=1, hierarchy=SHOPS),
    "exponential": chooses(dp.Exponential),
    "permute-and-flip": chooses(dp.PermuteAndFlip),
    "bingham": bingham,
    "histogram": histogram(),
    "histogram-weights": histogram(weights=[10]),
    "count-nonzero": tool(tools.count_nonzero),
    "sum": tool(tools.sum, bounds=(0, 1)),
    "sum-int": tool(tools.sum, bounds=(0, 1), dtype=int),
    "mean": tool(tools.mean, bounds=(0, 1)),
    "nanmean": tool(tools.nanmean, bounds=(0, 1)),
    "nanvar": tool(tools.nanvar, bounds=(0, 1)),
    "nanstd": tool(tools.nanstd, bounds=(0, 1)),
    "nansum": tool(tools.nansum, bounds=(0, 1)),
    "var": tool(tools.var, bounds=(0, 1)),
    "std": tool(tools.std, bounds=(0, 1)),
    "median": tool(tools.median, bounds=(0, 2)),
}

if __name__ == "__main__":
    serve(MECHANISMS)
