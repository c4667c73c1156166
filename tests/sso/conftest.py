"""An organization that has proven its domain, and a provider that the attacks share: none of them leaves
anything behind."""

from __future__ import annotations

import pytest

from tests import make, proven, saml
from tests.cast import Cast
from tests.house import House
from tests.sso.attacks import DOMAINS


@pytest.fixture(scope="module")
def attacked(house: House) -> saml.Idp:
    """An active provider of an organization of its own."""
    made = make.cast(house)
    proven.proven(made.ada, made.organization, *DOMAINS)
    return saml.idp(made)


@pytest.fixture
def cast(house: House) -> Cast:
    """A fresh organization that has proven the domain of everybody's address."""
    made = make.cast(house)
    proven.proven(made.ada, made.organization, made.domain)
    return made
