#!/usr/bin/env python3
"""What autodp says of the mechanisms of this folder: hand.py NAME"""

import sys

from autodp import rdp_acct  # must come before privacy_calibrator, which imports it in a circle
from autodp import mechanism_zoo as zoo
from autodp import privacy_calibrator as calibrator


def response():
    return calibrator.randresponse_mech(1, 0)["p"]


HANDS = {
    "version": lambda: "autodp, commit 06489ea (after 0.2.3)",
    "laplace": lambda: f"b = {calibrator.laplace_mech(1, 0)['b']:.6g}",
    "laplace-delta": lambda: f"ε = {zoo.LaplaceMechanism(1.0).get_approxDP(0.1):.6g} at δ = 0.1",
    "randomized-response": lambda: f"p = {response():.6g}",
    "randomized-response-delta": lambda: f"ε = {zoo.RandresponseMechanism(response()).get_approxDP(.1):.6g} at δ = 0.1",
    "gaussian-rdp": lambda: f"σ = {calibrator.gaussian_mech(1, 1e-3)['sigma']:.6g}",
    "gaussian-analytic": lambda: f"σ = {calibrator.ana_gaussian_mech(1, 1e-3)['sigma']:.6g}",
    "gaussian-sampled": lambda: f"σ = {calibrator.gaussian_mech(1, 1e-3, prob=0.1)['sigma']:.6g}",
    "gaussian-sigma-1": lambda: f"ε = {zoo.ExactGaussianMechanism(1.0).get_approxDP(0.05):.6g} at δ = 0.05",
}

if sys.argv[1] in HANDS:
    print("autodp: " * (sys.argv[1] != "version") + HANDS[sys.argv[1]]())
