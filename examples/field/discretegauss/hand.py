#!/usr/bin/env python3
"""What discretegauss says of the mechanisms of this folder: hand.py NAME"""

import sys

import cdp2adp

HANDS = {
    "version": lambda: "discrete-gaussian-differential-privacy, commit cb190d2",
    "gaussian": lambda: f"its dg_delta(6.5, 1) = {cdp2adp.dg_delta(6.5, 1.0):.4g}",
}

if sys.argv[1] in HANDS:
    print(HANDS[sys.argv[1]]())
