#!/usr/bin/env python3
"""Runs other accountants beside checkrr on the same problems, in turn, and prints a table. README.md says how to get
them.

A problem is a number of equal Gaussian steps (Poisson sampling, add or remove one record) and the δ of all of them at
an ε: one stop, at the end, as the others know no other. The truth is computed here, by a method that none of them uses.
"""
import argparse
import cmath
import functools
import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from typing import NamedTuple

for variable in "DP_ACCOUNTING", "PRV_ACCOUNTANT":  # folders that hold the packages, where they are not installed
    if variable in os.environ:
        sys.path.insert(0, os.environ[variable])


class Problem(NamedTuple):
    noise: float
    sampling: float
    count: int
    eps: float


PROBLEMS = [
    Problem(1.0, 0.01, 2000, 3), Problem(0.8, 0.004, 14000, 3), Problem(50, 1, 2000, 3),
    Problem(1.25, 0.02, 1000, 5), Problem(100, 1, 1000, 3),  # the tail
]
SYSTEMS = [  # and what its setting is, and the settings
    ("checkrr", "width", ["1e-3", "1e-4", "1e-5", "1e-6"]),
    ("dp_accounting PLD", "grid", ["1e-3", "1e-4", "1e-5"]),
    ("dp_accounting RDP", "orders", ["its own"]),
    ("prv_accountant", "ε ±", ["0.1", "0.01", "0.001"]),
]
ROWS = [(system, what, setting) for system, what, settings in SYSTEMS for setting in settings]
TIMES = ["seconds", "whole", "processor"]
UNIT = ("dp_accounting PLD", "grid", "1e-3")  # its time is 1 in the columns of ratios


@functools.cache
def truth(p):
    """δ with a relative error of 1e-10 or so, for losses of P (with the record) over Q.

    With M(z) the mean of e^(z·loss) under P after all steps, δ is the integral of M(z)·e^(−z·ε)/(z(z + 1)) over any
    line Re z = tilt > 0, divided by 2πi, as 1/(z(z + 1)) is the Laplace transform of max(0, 1 − e^−x). Both integrands
    are analytic, so trapezoids converge exponentially, and the best tilt keeps the terms as small as δ itself.
    """
    def log_term(z):
        width, mean = p.noise / 12, 0
        for i in range(-144, math.ceil(144 + (1 + z.real) / width)):
            x = i * width
            u = (x - .5) / p.noise ** 2
            loss = max(u, 0) + math.log(p.sampling * math.exp(min(u, 0)) + (1 - p.sampling) * math.exp(-max(u, 0)))
            mean += cmath.exp((1 + z) * loss - x * x / (2 * p.noise ** 2))  # (1 + z): under Q, whose density this is
        mean *= width / p.noise / math.sqrt(2 * math.pi)
        return p.count * cmath.log(mean) - z * p.eps - cmath.log(z * (z + 1))

    tilt = .25
    while log_term(complex(tilt + .25)).real < log_term(complex(tilt)).real:
        tilt += .25
    total, i, term = 0, 0, math.inf
    while abs(term) > 1e-17 * abs(total):
        term = cmath.exp(log_term(complex(tilt, i / 4)))
        total += term.real * (1 if i else .5)
        i += 1
    return total / 4 / math.pi


def closed_form(p):
    """δ of Gaussian steps without sampling: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), μ = √k/σ."""
    mu = math.sqrt(p.count) / p.noise
    below = lambda x: math.erfc(-x / math.sqrt(2)) / 2
    return below(mu / 2 - p.eps / mu) - math.exp(p.eps) * below(-mu / 2 - p.eps / mu)


# What imports a peer and returns the call to be timed; its answer has some of lower, estimate and upper.

def dp_accounting_pld(p, setting, _):
    from dp_accounting.pld import privacy_loss_distribution as pld
    def call():
        step = pld.from_gaussian_mechanism(
            p.noise, value_discretization_interval=float(setting), sampling_prob=p.sampling)
        return {"upper": step.self_compose(p.count).get_delta_for_epsilon(p.eps)}
    return call


def dp_accounting_rdp(p, *_):
    import dp_accounting
    def call():
        step = dp_accounting.PoissonSampledDpEvent(p.sampling, dp_accounting.GaussianDpEvent(p.noise))
        return {"upper": dp_accounting.rdp.RdpAccountant().compose(step, p.count).get_delta(p.eps)}
    return call


def prv_accountant(p, setting, delta):
    import prv_accountant as prv
    def call():
        sampled = prv.PoissonSubsampledGaussianMechanism(p.sampling, p.noise) if p.sampling < 1 else None
        accountant = prv.PRVAccountant(sampled or prv.GaussianMechanism(p.noise), eps_error=float(setting),
                                       delta_error=delta / 1000, max_self_compositions=p.count)
        return dict(zip(("lower", "estimate", "upper"), accountant.compute_delta(p.eps, [p.count])))
    return call


PEERS = {"dp_accounting PLD": dp_accounting_pld, "dp_accounting RDP": dp_accounting_rdp,
         "prv_accountant": prv_accountant}


def run_peer(system, setting, delta, p):
    """In a process of its own: the answer, and the seconds after the import."""
    call = PEERS[system](Problem(*p), setting, delta)
    start = time.perf_counter()
    return {**call(), "seconds": time.perf_counter() - start}


def run_checkrr(checkrr, p, setting):
    steps = {"gaussian": {"noise": p.noise, "sampling": p.sampling}, "count": p.count}
    problem = {"mechanisms": [steps], "stops": [{"after": p.count, "eps": p.eps}]}
    done = subprocess.run([checkrr, "optdel", "-", "--json", "--rel-width", setting],
                          input=json.dumps(problem), capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: the interval holds, but is wider than asked for
        raise RuntimeError(done.stderr)
    answer = json.loads(done.stdout)
    return {**answer["optdel"], "seconds": answer["seconds"], "short": done.returncode == 3}


def measure(arguments, p, row):
    """One run, and the seconds of the whole process, by the clock and of processors."""
    system, _, setting = row
    start, used = time.perf_counter(), processor()
    if system == "checkrr":
        answer = run_checkrr(arguments.checkrr, p, setting)
    else:
        child = json.dumps([system, setting, truth(p), p])
        done = subprocess.run([sys.executable, __file__, "--child", child], capture_output=True, text=True)
        answer = json.loads(done.stdout) if not done.returncode else {"failed": done.stderr.strip().split("\n")[-1]}
    return {**answer, "whole": time.perf_counter() - start, "processor": processor() - used}


def processor():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rounds(arguments, p):
    """All rows in turn, several times; the smallest times count. What takes over ten seconds runs once."""
    best = {}
    truth(p)  # before any time is taken
    for _ in range(arguments.repeat):
        for row in ROWS:
            slow = row in best and ("failed" in best[row] or best[row]["whole"] > 10)
            if slow or not re.search(arguments.only, " ".join(row)):
                continue
            now = measure(arguments, p, row)
            if row in best:
                for key in now.keys() & set(TIMES):
                    now[key] = min(now[key], best[row][key])
            best[row] = now
    return best


def short(value):
    return f"{float(f'{value:.2g}'):g}"  # two digits, without an exponent


def table(p, best):
    exact = truth(p)
    print(f"\nσ = {p.noise:g}, sampling {p.sampling:g}, {p.count} steps, ε = {p.eps:g}: δ = {exact:.11g}", end="")
    print(f" (closed form {closed_form(p):.11g})\n" if p.sampling == 1 else "\n")
    print("| system | setting | δ | error | holds | s | × | s, whole | × | s, processor | × |")
    print("|---|---|---|---|---|---:|---:|---:|---:|---:|---:|")
    unit = best.get(UNIT)
    for (system, what, setting), answer in best.items():
        setting = f"{what} {setting}"
        if "failed" in answer:
            print(f"| {system} | {setting} | – | {answer['failed']} | | | | | | | |")
            continue
        values = [answer[key] for key in ("lower", "estimate", "upper") if key in answer]
        holds = answer.get("lower", 0) <= exact * (1 + 1e-10) and exact * (1 - 1e-10) <= answer["upper"]
        if answer.get("short"):
            setting += ", not reached"
        sign = "" if "lower" in answer else "≤ "
        cells = [system, setting, sign + " … ".join(f"{v:.7g}" for v in values),
                 " … ".join(f"{v / exact - 1:+.1e}" for v in values), "yes" if holds else "**no**"]
        for key in TIMES:
            cells += [short(answer[key]), short(answer[key] / unit[key]) if unit else ""]
        print("| " + " | ".join(cells) + " |", flush=True)


def arguments(description, only):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkrr", default="checkrr", help="the program")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the smallest times count")
    parser.add_argument("--only", default="", help=only + " this regular expression")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments(__doc__, "rows whose name and setting match")
    if given.child:
        print(json.dumps(run_peer(*json.loads(given.child))))
    else:
        for problem in PROBLEMS:
            table(problem, rounds(given, problem))
