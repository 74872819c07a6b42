#!/usr/bin/env python3
"""What is claimed for the mechanisms of this folder: hand.py NAME"""

import math
import sys

import discretegauss  # there or not: a folder is skipped without its package


def gaussian_delta(sigma2, eps):
    """The smallest δ of discrete Gaussian noise on integers that differ by 1: Theorem 7 of
    Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy"."""
    mass = {x: math.exp(-x * x / (2 * sigma2)) for x in range(-200, 201)}
    total = sum(mass.values())
    above = sum(m for x, m in mass.items() if x > eps * sigma2 - 0.5)
    farther = sum(m for x, m in mass.items() if x > eps * sigma2 + 0.5)
    return (above - math.exp(eps) * farther) / total


if sys.argv[1] == "version":
    print("discrete-gaussian-differential-privacy, commit cb190d2")
elif sys.argv[1] == "gaussian":
    print(f"Theorem 7: δ = {gaussian_delta(6.5, 1):.4g} at ε = 1")
