"""An organization that has proven its domain, and a provider that the attacks share: none of them leaves
anything behind."""

from __future__ import annotations

import pytest

from tests import make, saml
from tests.cast import Cast
from tests.factories import domains
from tests.instance import Instance
from tests.sso.attacks import DOMAINS


@pytest.fixture(scope="module")
def attacked(instance: Instance) -> saml.Idp:
    """An active provider of an organization of its own."""
    made = make.cast(instance)
    domains.proven(made.ada, made.organization, *DOMAINS)
    return saml.idp(made)


@pytest.fixture
def cast(instance: Instance) -> Cast:
    """A fresh organization that has proven the domain of everybody's address."""
    made = make.cast(instance)
    domains.proven(made.ada, made.organization, made.domain)
    return made
