#!/usr/bin/env python3
"""Counts what refutes claims about the noise of Opacus, without checkrr: hand.py NAME"""

import sys

import opacus
import torch

from mechanisms import noisy

N = 10_000


def off_grid(x, secure):
    """How many of N float32 coordinates are no multiple of 2^-24."""
    numbers = noisy(x, N, torch.Generator().manual_seed(7 + int(x)), secure, torch.float32)
    return sum((y * 2.0**24) % 1 != 0 for y in numbers)


if sys.argv[1] == "version":
    print(f"opacus {opacus.__version__}, torch {torch.__version__}")
elif sys.argv[1] in ("secure-bits", "vanilla-bits"):
    secure = sys.argv[1] == "secure-bits"
    print(f"no multiple of 2⁻²⁴: {off_grid(0, secure):,} of {N:,} against {off_grid(1, secure):,}")
