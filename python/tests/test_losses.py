import importlib.util
import json
import math
import os
import subprocess
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "pld.py"


@pytest.fixture
def pld():
    spec = importlib.util.spec_from_file_location("pld", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Masses:
    """Randomized response with ε = 0.5, as dp_accounting keeps it on a grid of that width."""

    _discretization, _lower_loss, _infinity_mass = 0.5, -1, 1e-9
    _probs = (1 - 1e-9) / (1 + math.exp(0.5)), 0.0, (1 - 1e-9) / (1 + math.exp(-0.5))

    def __init__(self, is_pessimistic):
        self._pessimistic_estimate, self._pmf_remove = is_pessimistic, self

    def to_dense_pmf(self):
        return self


def test_losses_are_those_of_the_mechanism(pld, tmp_path):
    pld.write(tmp_path / "step.csv", *pld.of(Masses(True)))
    assert len((tmp_path / "step.csv").read_text().splitlines()) == 4  # what is impossible has no line

    def eps(mechanism):
        run = subprocess.run([os.environ["CHECKRR"], "compose", "--mech", mechanism, "--delta", "1e-6", "--json"],
                             cwd=tmp_path, check=True, stdout=subprocess.PIPE)
        bounds = json.loads(run.stdout)["eps"]
        return bounds["lower"], bounds["upper"]

    lower, upper = eps("losses=step.csv,count=20")
    least, most = eps("eps=0.5,delta=1e-9,count=20")
    assert lower <= most and least <= upper <= most + 1e-3


def test_optimistic_losses_are_refused(pld):
    with pytest.raises(ValueError, match="pessimistic"):
        pld.of(Masses(False))
