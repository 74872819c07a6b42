import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import checkrr

AUDIT = """
command: [{python}, server.py]
neighbours: [{{x: [0, 0, 1], x2: [0, 1, 1]}}]
noise: {{values: [[-1, 1/4], [0, 1/2], [1, 1/4]], count: 2}}
claim: {{exp_eps: 4, delta: {delta}}}
"""

COINS = """
import sys
sys.path.insert(0, {path!r})
import checkrr

@checkrr.mechanism
def count(data, noise):
    print("not a reply")
    return sum(data) + sum(noise)

if __name__ == "__main__":
    count.serve()
"""


@pytest.mark.parametrize("delta, code", [("1/16", 0), ("1/17", 1)])
def test_audit_of_all_noise(program, tmp_path, delta, code):
    (tmp_path / "server.py").write_text(COINS.format(path=str(Path(checkrr.__file__).parent.parent)))
    (tmp_path / "audit.yaml").write_text(AUDIT.format(python=sys.executable, delta=delta))
    done = subprocess.run([program, "audit", "audit.yaml", "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code, done.stderr


def replies(mechanism, *requests):
    out = io.StringIO()
    mechanism.serve(io.StringIO("".join(json.dumps(request) + "\n" for request in requests)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def request(**keys):
    return {"id": 3, "input": [0, 1], "n": 4, "seed": 5, **keys}


@checkrr.mechanism
def noisy(data, rng):
    """A count."""
    return {"part": "all", "value": sum(data) + rng.random()}


@checkrr.mechanism(many=True)
def many(data, source, n):
    noise = source if isinstance(source, list) else [source.random() for _ in range(n)]
    return [sum(data) + x for x in noise]


def test_outputs_are_those_of_the_seed():
    first, again, other = replies(noisy, request(), request(id=4), request(seed=6))
    assert (first["id"], again["id"]) == (3, 4) and first["outputs"] == again["outputs"] != other["outputs"]
    assert len({output["value"] for output in first["outputs"]}) == 4
    assert replies(many, request())[0]["outputs"] == [output["value"] for output in first["outputs"]]


def test_outputs_of_given_noise():
    assert replies(many, request(n=2, noise=[-1, 1])) == [{"id": 3, "outputs": [0, 2]}]


def test_errors_are_replies(capsys):
    for function, says in ((lambda data, rng: sum(data) / 0, "ZeroDivisionError"),
                           (lambda data, rng: float("nan"), "ValueError"),
                           (lambda data, rng: object(), "must be JSON")):
        reply, = replies(checkrr.mechanism(function), request())
        assert reply["id"] == 3 and says in reply["error"] and "outputs" not in reply
    assert "Traceback" in capsys.readouterr().err


def test_arrays():
    class Array:
        def tolist(self):
            return [1, 2]

    assert replies(checkrr.mechanism(lambda data, rng: Array()), request(n=1))[0]["outputs"] == [[1, 2]]


def test_function_as_before():
    assert noisy([1], checkrr.server.random.Random(0))["part"] == "all" and noisy.__doc__ == "A count."
