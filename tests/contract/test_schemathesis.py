"""Generated requests against the running product: what the document says is what it does."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from app.rest import OPERATIONS
from app.rest.openapi import document

print(schemathesis.__version__, hypothesis.__version__)
