#!/usr/bin/env python3
"""Runs testers of privacy claims on the mechanisms of wrong.py, and prints who finds what. README.md says how to get
them.

Each gets at most 10^6 outputs of each input and 60 s of processor time, and may refute a true claim with probability
0.01. Those that are not sequential are given 10^3, 10^4, 10^5 and 10^6 outputs, until all seeds find the violation, or
a size took too long. Times are of the processor, with the drawing, after what is imported and compiled, at the size
that is printed.
"""
import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import types

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

import kernelbet
import wrong

np.bool = bool  # numpy dropped the name, which StatDP and DP-Sniper use
ALPHA, MOST, SECONDS = 0.01, 1_000_000, 60

for variable in "STATDP", "DP_SNIPER", "DP_AUDITORIUM":  # folders that hold the packages, where they are not installed
    if variable in os.environ:
        sys.path.insert(0, os.environ[variable])


class CannotTake(Exception):
    """Outputs or a claim that are not what a tester is for."""


def stub(name, **contents):
    """A module that is imported and not needed here."""
    sys.modules.setdefault(name, types.ModuleType(name)).__dict__.update(contents)


class Draws:
    """New outputs of a row as numbers."""

    def __init__(self, row, seed):
        self.row, self.random = row, np.random.default_rng(seed)

    def __call__(self, side, n):
        return self.row.numbers(self.row.draw(self.random, side, n))


# What StatDP is told to look at, as its authors do: the Hamming distance for sparse vectors, the number of ⊥ and the
# value where there is one, the first cell of a histogram. Where they have nothing, the place that tells, which nobody
# knows beforehand.
STATISTICS = {
    "cells": ("told the cell", lambda x: x[:, 57]),
    "unary": ("told the two bits", lambda x: x[:, [34, 38]]),
    "text": ("told the two bits", lambda x: x[:, [34, 38]]),
    "booleans": ("told the two bits", lambda x: x[:, [26, 30]]),
    "words": ("told the word", lambda x: x[:, 0]),
    "nonce": ("the two numbers in it", lambda x: x),
    "value": ("number of ⊥ and value",
              lambda x: np.stack([(x == wrong.BELOW).sum(1), np.where(x > wrong.BELOW, x, 0).sum(1)], 1)),
    "svt-chen": ("Hamming distance", lambda x: (x != (np.arange(16) < 8)).sum(1)),
    "svt-lee-clifton": ("Hamming distance", lambda x: (x != (np.arange(10) < 5)).sum(1)),
    "histogram-inverted": ("first cell", lambda x: x[:, 0]),
}


def statdp(row, seed, n):
    """A sixth of the outputs to select an event, the others to test it: its own shares."""
    from statdp.hypotest import hypothesis_test
    from statdp.selectors import select_event
    if row.delta:
        raise CannotTake("takes no δ")
    note, statistic = STATISTICS.get(row.name, ("", lambda x: x[:, 0]))
    draw = Draws(row, seed)

    def outputs(side):
        while True:
            values = statistic(draw(side, 10_000))
            yield from values if values.ndim == 1 else map(tuple, values.tolist())

    streams = [outputs(0), outputs(1)]

    def algorithm(prng, queries, epsilon):
        return next(streams[queries[0]])

    class Alone:  # a pool of one process
        _processes = 1
        imap_unordered = staticmethod(map)

    pairs = (([0], [1], {"epsilon": row.eps}),)
    try:
        d1, d2, kwargs, event = select_event(algorithm, pairs, row.eps, n // 6, Alone, quiet=True)
    except ValueError:  # few different values of few outputs: it counts equal intervals several times
        return False, note
    p = hypothesis_test(algorithm, d1, d2, kwargs, event, row.eps, n - n // 6, Alone, report_p2=False)
    return p < ALPHA, note


def sniper(row, seed, n, perceptron=False):
    """Both orders of the inputs, each with half of the outputs and of α: a third of these to train, to find the
    threshold, and to check. As many training batches as by default, 107, which makes them smaller."""
    if row.delta:
        raise CannotTake("takes no δ")
    stub("torch.utils.tensorboard", SummaryWriter=type("SummaryWriter", (), {
        "__init__": lambda self, **_: None, "add_scalar": lambda self, *_: None, "close": lambda self: None}))
    import torch
    from dpsniper.attack.dpsniper import DPSniper
    from dpsniper.classifiers.classifier_factory import LogisticRegressionFactory, MultiLayerPerceptronFactory
    from dpsniper.classifiers.feature_transformer import BitPatternFeatureTransformer, FlagsFeatureTransformer
    from dpsniper.classifiers.torch_optimizer_factory import AdamOptimizerFactory, SGDOptimizerFactory
    from dpsniper.mechanisms.abstract import Mechanism
    from dpsniper.probability.estimators import EpsEstimator, PrEstimator
    from dpsniper.search.ddconfig import DDConfig
    from dpsniper.utils.paths import set_output_directory
    from dpsniper.utils.torch import torch_initialize
    set_output_directory(tempfile.gettempdir())
    torch_initialize(torch_threads=1) if not torch.get_default_dtype() == torch.float64 else None
    torch.manual_seed(seed)

    class Drawn(Mechanism):
        draw = Draws(row, seed)

        def m(self, a, n_samples=1):
            return self.draw(int(a), n_samples)

    class Bits:  # as its own, but for that it takes the character 0 for true
        def transform(self, x):
            return np.unpackbits(x.copy().view(np.uint8), axis=1)

    transform = None
    if row.bits:
        transform = (Bits if given.repair else BitPatternFeatureTransformer)()
    elif row.flags:
        transform = FlagsFeatureTransformer(list(row.flags))
    width = 64 if row.bits else Drawn.draw(0, 1).shape[1] * (1 + len(row.flags))
    third = n // 6 // 1000 * 1000 if n >= 60_000 else n // 6
    config = DDConfig(n_train=third, n=third, n_check=third, n_processes=1, confidence=1 - ALPHA / 2,
                      training_batch_size=max(1, math.ceil(third / 107)))
    if perceptron:
        factory = MultiLayerPerceptronFactory(in_dimensions=width, feature_transform=transform, hidden_sizes=(10, 5),
                                              optimizer_factory=AdamOptimizerFactory(),
                                              regularization_weight=0.0001, epochs=10)
    else:
        factory = LogisticRegressionFactory(in_dimensions=width, feature_transform=transform,
                                            optimizer_factory=SGDOptimizerFactory())
    bounds = []
    for a, b in (0, 1), (1, 0):
        attack = DPSniper(Drawn(), factory, config).best_attack(a, b)
        bounds.append(EpsEstimator(PrEstimator(Drawn(), config.n_check, config)).compute_eps_estimate(a, b, attack)[1])
    return max(bounds) > row.eps, row.encoding


def auditorium(row):
    stub("etils")
    stub("etils.array_types", IntArray=np.ndarray)
    for package in "dp_auditorium", "dp_auditorium.configs", "dp_auditorium.testers":
        # their own __init__ import TensorFlow and Vizier
        stub(package, __path__=[os.path.join(folder, *package.split(".")) for folder in sys.path])
    from dp_auditorium.configs import privacy_property, property_tester_config
    return property_tester_config, privacy_property.ApproximateDp(row.eps, row.delta)


def histogram(row, seed, n):
    """Both orders of the inputs, each with half of α. A hundred bins between the least and the largest of a tenth of
    the outputs, or one for each output where these are a few bits; of what StatDP looks at, where that is less."""
    configs, claim = auditorium(row)
    from dp_auditorium.testers.histogram_tester import HistogramTester
    draw = Draws(row, seed)
    x = [draw(side, n) for side in (0, 1)]
    note = row.encoding
    if not row.name.startswith("svt") and row.name in STATISTICS:
        note, statistic = STATISTICS[row.name]
        x = [statistic(one).reshape(n, -1) for one in x]
    size, least, largest = 2 ** x[0].shape[1], 0, 0
    if x[0].shape[1] == 1:
        size, part = 100, np.concatenate([one[:n // 10, 0] for one in x])
        least, largest = part.min(), part.max()
        x = [one[n // 10:, 0] for one in x]
    elif np.isin(x, (-1, 0, 1)).all():
        x = [(one > 0) @ 2 ** np.arange(one.shape[1]) for one in x]
    else:
        raise CannotTake("takes one number")
    tester = HistogramTester(configs.HistogramPropertyTesterConfig(not least < largest, size, least, largest, claim))
    return any(tester.reject_property(tester.estimate_lower_bound(x[i], x[1 - i], ALPHA / 2)) for i in (0, 1)), note


def mmd(row, seed, n):
    """A Gaussian kernel whose width is the median distance of a hundred outputs, which are not used otherwise."""
    configs, claim = auditorium(row)
    if (math.exp(row.eps) - 1) ** 2 >= 2:
        raise CannotTake("finds nothing from ε = 0.88 on")
    from dp_auditorium.testers.mmd_tester import MMDPropertyTester
    draw = Draws(row, seed)
    few = draw(0, 100)
    width = np.median(((few[:50] - few[50:]) ** 2).sum(1))
    tester = MMDPropertyTester(configs.MMDPropertyTesterConfig(configs.Kernel.KERNEL_RBF, 1 / width, claim))
    return tester.reject_property(tester.estimate_lower_bound(draw(0, n), draw(1, n), ALPHA)), row.encoding


def bet(row, seed):
    return kernelbet.refute(Draws(row, seed), row.eps, row.delta, ALPHA, MOST), row.encoding


def checkrr(row, seed):
    done = subprocess.run([given.checkrr, "audit", "-", "--json", "--seed", str(seed)], input=wrong.audit_file(row),
                          capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    report = json.loads(done.stdout)
    return report["sampled"]["samples"] if report["verdict"] == "refuted" else None, ""


SEQUENTIAL = {"checkrr": checkrr, "kernel bet": bet}
BATCH = {"StatDP": statdp, "DP-Sniper": sniper, "DP-Sniper, perceptron": lambda *to: sniper(*to, perceptron=True),
         "DP-Auditorium, histogram": histogram, "DP-Auditorium, MMD": mmd}


def seconds():
    return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def in_sequence(run, row):
    """How many seeds find it, with how many outputs, in what time, and what there is to say."""
    start, needed = seconds(), []
    for seed in range(given.seeds):
        n, note = run(row, seed)
        needed += [n] if n else []
    span = " to ".join(f"{n:,}" for n in sorted({min(needed), max(needed)})) if needed else ""
    return len(needed), given.seeds, span or f"{MOST:,}", (seconds() - start) / given.seeds, note


def in_batches(run, row):
    run(row, 0, 100 if "MMD" in given.tester else 1000)  # what is compiled once
    size, last = 1000, given.most
    while True:
        start, found, seeds = seconds(), 0, given.seeds
        for seed in range(given.seeds):
            is_found, note = run(row, seed, size)
            found += bool(is_found)
            if seed == 0 and (seconds() - start) * given.seeds > SECONDS:
                seeds = 1
                break
        each = (seconds() - start) / seeds
        if found == seeds or size >= last or each > SECONDS:
            return found, seeds, f"{size:,}", each, note
        size *= 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tester", choices=[*SEQUENTIAL, *BATCH])
    parser.add_argument("--row", help="only the rows whose name contains this", default="")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=int, default=MOST, help="outputs of each input, at most")
    parser.add_argument("--repair", action="store_true",
                        help="DP-Sniper's bits of a number, which do not tell 0101 from 0111")
    parser.add_argument("--checkrr", default="checkrr", help="the program")
    given = parser.parse_args()
    print("| row | tester | found by | outputs | s | |\n|---|---|---:|---:|---:|---|", flush=True)
    for row in wrong.ROWS:
        if given.row not in row.name:
            continue
        try:
            if given.tester in SEQUENTIAL:
                found, seeds, size, each, note = in_sequence(SEQUENTIAL[given.tester], row)
            else:
                found, seeds, size, each, note = in_batches(BATCH[given.tester], row)
            print(f"| {row.name} | {given.tester} | {found} of {seeds} | {size} | {each:.2g} | {note} |", flush=True)
        except CannotTake as why:
            print(f"| {row.name} | {given.tester} | cannot | | | {why} |", flush=True)
