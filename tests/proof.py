"""How the models of writing, links and histories are searched for faults.

With `DOCYARD_TESTS=full` there are more examples, chosen anew each time; `DOCYARD_PROOF_EXAMPLES` and
`DOCYARD_PROOF_STEPS` then say how many, and how long they are.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.extent import FULL, extent


def search(machine: type[RuleBasedStateMachine], *, examples: int, steps: int, **shared: Any) -> None:
    """Run examples of a state machine, which have what they share as attributes; fail at the first fault."""
    found = type("Found", (machine,), shared)
    run_state_machine_as_test(
        found,
        settings=settings(
            max_examples=extent(examples, full=int(os.environ.get("DOCYARD_PROOF_EXAMPLES", 2000))),
            stateful_step_count=extent(steps, full=int(os.environ.get("DOCYARD_PROOF_STEPS", steps))),
            derandomize=not FULL,
            phases=(Phase.explicit, Phase.generate),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
