"""How the models of writing, links and histories are searched for faults.

`DOCYARD_PROOF_EXAMPLES` and `DOCYARD_PROOF_STEPS` ask for more examples than a run of the suite takes, and
longer ones; they are chosen anew then.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def search(machine: type[RuleBasedStateMachine], *, examples: int, steps: int, **shared: Any) -> None:
    """Run examples of a state machine, which have what they share as attributes; fail at the first fault."""
    found = type("Found", (machine,), shared)
    run_state_machine_as_test(
        found,
        settings=settings(
            max_examples=int(os.environ.get("DOCYARD_PROOF_EXAMPLES", examples)),
            stateful_step_count=int(os.environ.get("DOCYARD_PROOF_STEPS", steps)),
            derandomize="DOCYARD_PROOF_EXAMPLES" not in os.environ,
            phases=(Phase.explicit, Phase.generate),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
