#!/usr/bin/env python3
"""The noise of a step of DP-SGD as Opacus adds it, that checkrr can audit."""

import pathlib
import sys

import torch
from opacus.optimizers import DPOptimizer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from serve import serve

NOISE = 2.5747  # what (1, 10^-3) needs where a clipped gradient has a norm of 1


def noisy(x, n, generator, secure, dtype):
    """n coordinates of a gradient that sum to x over the batch, after the noise was added."""
    parameter = torch.nn.Parameter(torch.zeros(n, dtype=dtype))
    optimizer = DPOptimizer(torch.optim.SGD([parameter], lr=1.0), noise_multiplier=NOISE, max_grad_norm=1.0,
                            expected_batch_size=None, loss_reduction="sum", generator=generator, secure_mode=secure)
    parameter.summed_grad = torch.full((n,), float(x), dtype=dtype)
    optimizer.add_noise()
    return parameter.grad.tolist()


def step(secure, dtype=torch.float32):
    """One coordinate of a step; a thousand are drawn at once, each with noise of its own."""
    def mechanism(x, rng):
        generator = torch.Generator().manual_seed(int(rng.randint(2**31)))
        drawn = []

        def draw():
            if not drawn:
                drawn.extend(noisy(x, 1000, generator, secure, dtype))
            return drawn.pop()
        return draw
    return mechanism


MECHANISMS = {
    "secure": step(True),
    "vanilla": step(False),
}

if __name__ == "__main__":
    serve(MECHANISMS)
