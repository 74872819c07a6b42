"""A kernel two-sample test of a privacy claim as a bet: valid at any time, for any kernel; needs numpy.

A claim of (ε, δ)-DP says that E f(X0) − e^ε·E f(X1) is at most δ for all functions f with values in [0, 1], and the same with the inputs
exchanged. So the payoff Z = f(X0) − e^ε·f(X1) − δ of a function that was chosen before X0 and X1 were drawn is not above 0 in the mean,
and a capital that is multiplied by 1 + λ·Z, 0 ≤ λ < 1/(e^ε + δ), grows beyond 1/α with probability at most α if the claim is true.

f is learned from all earlier rounds: the witness function of the maximum mean discrepancy with the weights 1 and e^ε,
h(x) = mean k(x, X0) − e^ε·mean k(x, X1), is found on one half of them, with a Gaussian kernel whose width is the median distance. f is
1 where h is above a threshold; threshold and λ are those by which the other half would have grown most. Rounds double.
"""
import math

import numpy as np

LANDMARKS = 400  # of each input, which the witness function is made of
JUDGES = 20_000  # of each input, on which the threshold is chosen
FIRST = 128      # outputs of each input in the first round, which is not bet on


def witness(x0, x1, weight):
    """h, for standardised vectors."""
    points = np.concatenate([x0, x1])
    weights = np.concatenate([np.full(len(x0), 1 / len(x0)), np.full(len(x1), -weight / len(x1))])
    squares = (points**2).sum(1)

    def distances(x):
        return np.maximum((x**2).sum(1)[:, None] + squares - 2 * x @ points.T, 0)

    width = np.median(distances(points[::4])) or 1.0

    def h(x):
        return np.concatenate([np.exp(-distances(part) / width) @ weights for part in np.array_split(x, len(x) // 5000 + 1)])
    return h


def growth(h0, h1, threshold, stake, weight, delta):
    """The mean logarithm by which the capital grows on pairs with such values of h."""
    return np.log1p(stake * ((h0 > threshold) - weight * (h1 > threshold) - delta)).mean()


def choose(h0, h1, weight, delta):
    """The threshold and the stake that would have grown most, or a stake of 0."""
    best = (0.0, math.inf, 0.0)
    everywhere = np.sort(np.concatenate([h0, h1]))
    for share in np.concatenate([np.linspace(0.01, 0.99, 50), [0.995, 0.998, 0.999, 0.9995, 0.9999]]):
        threshold = everywhere[int(share * len(everywhere))]
        for stake in np.geomspace(0.002, 0.9, 12) / (weight + delta):
            best = max(best, (growth(h0, h1, threshold, stake, weight, delta), threshold, stake))
    return best[1:]


class Side:
    """The bets on one order of the inputs."""

    def __init__(self, eps, delta):
        self.weight, self.delta, self.log_capital = math.exp(eps), delta, 0.0

    def learn(self, x0, x1):
        half = min(len(x0) // 2, LANDMARKS)
        self.h = witness(x0[:half], x1[:half], self.weight)
        judges = slice(half, half + JUDGES)
        self.threshold, self.stake = choose(self.h(x0[judges]), self.h(x1[judges]), self.weight, self.delta)

    def bet(self, x0, x1):
        """The logarithm of the capital after each pair."""
        z = (self.h(x0) > self.threshold) - self.weight * (self.h(x1) > self.threshold) - self.delta
        path = self.log_capital + np.log1p(self.stake * z).cumsum()
        self.log_capital = path[-1]
        return path


def refute(draw, eps, delta, alpha, samples):
    """How many outputs of each input refute the claim, or None if so many do not.

    draw(side, n) gives n vectors of numbers, new ones each time.
    """
    sides = Side(eps, delta), Side(eps, delta)
    x = [draw(side, min(FIRST, samples)) for side in (0, 1)]
    together = np.concatenate(x)
    mean, deviation = together.mean(0), together.std(0)
    deviation[deviation == 0] = 1
    x = [(one - mean) / deviation for one in x]
    while (drawn := len(x[0])) < samples:
        new = [(draw(side, min(drawn, samples - drawn)) - mean) / deviation for side in (0, 1)]
        paths = []
        for i, side in enumerate(sides):
            side.learn(x[i], x[1 - i])
            paths.append(side.bet(new[i], new[1 - i]))
        rich = np.flatnonzero(np.logaddexp(*paths) >= math.log(2 / alpha))  # each has half of the capital
        if len(rich):
            return drawn + int(rich[0]) + 1
        x = [np.concatenate([new[side], x[side]])[:2 * (LANDMARKS + JUDGES)] if len(x[side]) > 2 * (LANDMARKS + JUDGES)
             else np.concatenate([new[side], x[side]]) for side in (0, 1)]
    return None
