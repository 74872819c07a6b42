"""A kernel two-sample test of a privacy claim as a bet: valid at any time, for any kernel; needs numpy.

A claim of (ε, δ)-DP says that E f(X0) − e^ε·E f(X1) is at most δ for all functions f with values in [0, 1], and the
same with the inputs exchanged. So the payoff Z = f(X0) − e^ε·f(X1) − δ of a function that was chosen before X0 and X1
were drawn is not above 0 in the mean, and a capital that is multiplied by 1 + λ·Z, 0 ≤ λ < 1/(e^ε + δ), grows beyond
1/α with probability at most α if the claim is true.

f is learned from all earlier rounds: the witness function of the maximum mean discrepancy with the weights 1 and e^ε,
h(x) = mean k(x, X0) − e^ε·mean k(x, X1), is found on one part of them, with a Gaussian kernel whose width is the median
distance. f is 1 where h is above a threshold; threshold and λ are those by which other outputs would have grown most.
Rounds double.
"""
import math

import numpy as np

LANDMARKS = 400  # of each input, which the witness functions are made of
JUDGES = 20_000  # of each input, on which thresholds and stakes are chosen
FIRST = 128      # outputs of each input in the first round, which is not bet on
SHARES = [0.01, 0.02, 0.05, *np.linspace(0.1, 0.9, 17),  # below a threshold
          0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999]


def witnesses(x0, x1, odds):
    """h for both orders of the inputs: a function of vectors, with a column for each."""
    points = np.concatenate([x0, x1])
    first, second = np.repeat([1 / len(x0), 0], [len(x0), len(x1)]), np.repeat([0, 1 / len(x1)], [len(x0), len(x1)])
    weights = np.stack([first - odds * second, second - odds * first], 1).astype(np.float32)
    squares = (points**2).sum(1)

    def distances(x):
        return np.maximum((x**2).sum(1)[:, None] + squares - 2 * x @ points.T, 0)

    width = np.median(distances(points)) or np.float32(1)
    return lambda x: np.concatenate([np.exp(-distances(part) / width) @ weights
                                     for part in np.array_split(x, len(x) // 2000 + 1)])


def growth(a, b, stake, odds, delta):
    """By how much the logarithm of the capital grows at each pair, if a and b say where f is 1."""
    return np.log1p(stake * (a - odds * b - delta))


def choose(h0, h1, odds, delta):
    """The threshold and the stake that would have grown most, or a stake of 0."""
    best = (0.0, math.inf, 0.0)
    for threshold in np.quantile(np.concatenate([h0, h1]), SHARES):
        a, b = h0 > threshold, h1 > threshold
        if a.mean() > odds * b.mean() + delta:
            best = max([best] + [(growth(a, b, s, odds, delta).mean(), threshold, s)
                                 for s in np.geomspace(0.002, 0.9, 12) / (odds + delta)])
    return best[1:]


def refute(draw, eps, delta, alpha, samples):
    """How many outputs of each input refute the claim, or None if so many do not.

    draw(side, n) gives n vectors of numbers, new ones each time.
    """
    odds, capital = math.exp(eps), np.zeros(2)  # its logarithm: each order of the inputs has half of it
    x = [draw(side, min(FIRST, samples)) for side in (0, 1)]
    mean, deviation = np.concatenate(x).mean(0), np.concatenate(x).std(0)
    deviation[deviation == 0] = 1
    standard = lambda new: ((new - mean) / deviation).astype(np.float32)
    x, drawn = [standard(one) for one in x], len(x[0])
    while drawn < samples:
        part = min(len(x[0]) // 2, LANDMARKS)
        h = witnesses(x[0][:part], x[1][:part], odds)
        judged = [h(one[part:part + JUDGES]) for one in x]
        new = [standard(draw(side, min(drawn, samples - drawn))) for side in (0, 1)]
        values = [h(one) for one in new]
        paths = []
        for i in (0, 1):
            threshold, stake = choose(judged[i][:, i], judged[1 - i][:, i], odds, delta)
            a, b = (values[j][:, i] > threshold for j in (i, 1 - i))
            paths.append(capital[i] + growth(a, b, stake, odds, delta).cumsum())
        rich = np.flatnonzero(np.logaddexp(*paths) >= math.log(2 / alpha))
        if len(rich):
            return drawn + int(rich[0]) + 1
        capital, drawn = np.array([path[-1] for path in paths]), drawn + len(new[0])
        x = [np.concatenate([new[side], x[side]])[:LANDMARKS + JUDGES] for side in (0, 1)]
    return None
