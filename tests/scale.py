"""The extent of a test run: short by default, complete with `DOCYARD_TESTS=full`, which `.ci/full` sets.

A full run uses both engines for every test, and more examples for the models of writing, links and histories,
chosen anew each time; `DOCYARD_PROOF_EXAMPLES` and `DOCYARD_PROOF_STEPS` then set their number and length.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

T = TypeVar("T")
FULL = os.environ.get("DOCYARD_TESTS") == "full"


def scaled(usual: T, *, full: T) -> T:
    """Return `full` in a full run, otherwise `usual`: a number of examples, rounds or rows."""
    return full if FULL else usual


def search(machine: type[RuleBasedStateMachine], *, examples: int, steps: int, **shared: Any) -> None:
    """Run examples of a state machine and fail at the first error; `shared` become attributes of each."""
    found = type("Found", (machine,), shared)
    run_state_machine_as_test(
        found,
        settings=settings(
            max_examples=scaled(examples, full=int(os.environ.get("DOCYARD_PROOF_EXAMPLES", 2000))),
            stateful_step_count=scaled(steps, full=int(os.environ.get("DOCYARD_PROOF_STEPS", steps))),
            derandomize=not FULL,
            phases=(Phase.explicit, Phase.generate),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
