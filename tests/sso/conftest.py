"""An identity provider that the attacks share: none of them leaves anything behind."""

from __future__ import annotations

import pytest

from tests import make, saml
from tests.house import House


@pytest.fixture(scope="module")
def attacked(house: House) -> saml.Idp:
    """An active provider of an organization of its own."""
    return saml.idp(make.cast(house))
