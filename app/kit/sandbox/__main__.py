"""`python -m app.kit.sandbox`, when packaging: compiles the guest once, into a file nobody changes later."""

from __future__ import annotations

from app.kit.sandbox.engine import precompile

if __name__ == "__main__":
    print(precompile())
