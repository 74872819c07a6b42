"""Programs that checkrr audits: they answer requests on standard input, a line of JSON each."""

from __future__ import annotations

import contextlib
import json
import random
import sys
import traceback
from typing import Any, Callable, Dict, Optional, TextIO, overload


class Mechanism:
    """A function that can be audited, and called as before."""

    def __init__(self, function: Callable[..., Any], many: bool) -> None:
        self.function, self.many = function, many
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def outputs(self, request: Dict[str, Any]) -> Any:
        """The outputs that a request asks for: each of noise of its own, or of the noise that it names."""
        data, n, noise = request["input"], request["n"], request.get("noise")
        rng = random.Random(request["seed"])
        if self.many:
            return self.function(data, rng if noise is None else noise, n)
        return [self.function(data, source) for source in ([rng] * n if noise is None else noise)]

    def answer(self, line: str) -> str:
        """The reply to a line. An error in the function is one, too, and ends the audit."""
        request = json.loads(line)
        try:
            with contextlib.redirect_stdout(sys.stderr):  # replies have standard output for themselves
                outputs = self.outputs(request)
            return json.dumps({"id": request["id"], "outputs": outputs}, allow_nan=False, default=plain)
        except Exception as error:
            traceback.print_exc()
            return json.dumps({"id": request["id"], "error": f"{type(error).__name__}: {error}"})

    def serve(self, requests: Optional[TextIO] = None, replies: Optional[TextIO] = None) -> None:
        """Answers all requests of standard input. This is what a program that is audited does last."""
        out = replies or sys.stdout
        for line in requests or sys.stdin:
            print(self.answer(line), file=out, flush=True)


def plain(value: Any) -> Any:
    """Arrays and numbers of numpy and torch as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"an output has {value!r}, must be JSON")


@overload
def mechanism(function: Callable[..., Any]) -> Mechanism: ...
@overload
def mechanism(*, many: bool = ...) -> Callable[[Callable[..., Any]], Mechanism]: ...
def mechanism(function: Optional[Callable[..., Any]] = None, *, many: bool = False) -> Any:
    """Makes an audit server of a function of an input and a source of noise, which returns one output.

        @checkrr.mechanism
        def count(data, rng):
            return sum(data) + rng.expovariate(1) - rng.expovariate(1)

        if __name__ == "__main__":
            count.serve()

    The source is a random.Random, and noise must come from it alone. For an audit with `noise:` it is one value of
    that noise. With `many` the function is called with a number n besides, and returns a list of n independent
    outputs; its source is then a random.Random, or the list of n values. An output of a claim with parts is
    {"part": name, "value": value}.
    """
    return Mechanism(function, many) if function else lambda given: Mechanism(given, many)
