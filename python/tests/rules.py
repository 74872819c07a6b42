"""OptDel of tiny pipelines, in fractions, by going through all stopping rules."""

from fractions import Fraction
from itertools import chain, combinations, product

ONE = Fraction(1)


def outputs(step):
    """The laws (P, Q) of the outputs of a mechanism, of randomized response for an (ε, δ)."""
    if "law" in step:
        return [(Fraction(p), Fraction(q)) for p, q in step["law"]]
    delta, up = Fraction(step.get("delta", 0)), Fraction(step["exp_eps"])
    more, less = (1 - delta) * up / (1 + up), (1 - delta) / (1 + up)
    return [(delta, 0 * ONE), (more, less), (less, more), (0 * ONE, delta)]


def subsets(items):
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def worst(steps, stops, running, done=0):
    """The most that a rule gains from the sequences of outputs that have not stopped, each with its (P, Q)."""
    if not stops:
        return 0
    after, charge = stops[0]
    parts = [outputs(step) for step in steps[done:after]]
    running = [reached for start in running for reached in extensions(start, parts)]
    gain = [max(0, p - charge * q) for p, q in running]
    if len(stops) == 1:
        return sum(gain)
    return max(sum(gain[i] for i in stopped) +
               worst(steps, stops[1:], [both for i, both in enumerate(running) if i not in stopped], after)
               for stopped in subsets(range(len(running))))


def extensions(start, parts):
    for drawn in product(*parts):
        p, q = start
        for p_output, q_output in drawn:
            p, q = p * p_output, q * q_output
        if p or q:
            yield p, q


def swapped(step):
    return {"law": [(q, p) for p, q in outputs(step)]}


def optdel(steps, stops):
    """The larger one of both orders of neighbours; stops are pairs of a number of steps and e^E."""
    return max(worst(order, stops, [(ONE, ONE)]) for order in (steps, [swapped(step) for step in steps]))
