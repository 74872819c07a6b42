"""What a differentially private program may publish when it stops early.

Steps and stops are what a problem file of checkrr has after `mechanisms:` and `stops:`, as
dictionaries. Numbers that are str, int, Decimal or Fraction are taken exactly; a float is taken as
the decimal that Python prints for it.

>>> import checkrr
>>> found = checkrr.optdel([{"eps": "0.1", "count": 4}], [{"after": 2, "eps": "0.1"}, {"after": 4, "eps": "0.2"}])
>>> found.delta.upper
0.0262...
"""

from .accountant import Accountant, NotPlanned
from .ledger import Account, Cost, Event, account
from .pipeline import Charge, Composition, Interval, Noise, NoiseLevel, OptDel, RuleStop, Schedule, Step, Stop
from .pipeline import compose, noise, optdel, schedule
from .program import Error, Inconclusive, InputError, Number, Refuted, SafeFloat, executable
from .server import Mechanism, mechanism

__all__ = [
    "Account", "Accountant", "Charge", "Composition", "Cost", "Error", "Event", "Inconclusive", "InputError",
    "Interval", "Mechanism", "Noise", "NoiseLevel", "NotPlanned", "Number", "OptDel", "Refuted", "RuleStop",
    "SafeFloat", "Schedule", "Step", "Stop", "account", "compose", "executable", "mechanism", "noise", "optdel",
    "schedule",
]
