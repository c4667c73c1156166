"""`python -m app.cli` is `docyard`."""

import sys

from app.cli import main

sys.exit(main())
