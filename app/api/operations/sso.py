"""Operations on single sign-on. What browsers meet there is in `sign_in`."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.sso import saml_providers
from app.models.sso import SAMLProviderCreate, SAMLProviderUpdate
from app.present.access import logins, provider

O = "/orgs/{organizationId}"  # noqa: E741 - as the list of operations has it

OPERATIONS = family(
    "SAML and SSO",
    listing(
        "listSAMLProvidersInOrganizationById",
        f"{O}/saml",
        saml_providers.list_providers,
        show=provider,
        field="Organization.samlProviders",
        permission="organization:admin",
    ),
    post(
        "createOrganizationSAMLProvider",
        f"{O}/saml",
        saml_providers.create,
        body=SAMLProviderCreate,
        show=provider,
        status=201,
        field="createSAMLProvider",
        permission="organization:admin",
    ),
    get(
        "getOrganizationSAMLProviderById",
        f"{O}/saml/{{samlProviderId}}",
        saml_providers.get,
        show=provider,
        field="Organization.samlProvider",
        permission="organization:admin",
    ),
    remove(
        "deleteOrganizationSAMLProvider",
        f"{O}/saml/{{samlProviderId}}",
        saml_providers.delete,
        field="deleteSAMLProvider",
        permission="organization:admin",
    ),
    patch(
        "updateOrganizationSAMLProvider",
        f"{O}/saml/{{samlProviderId}}",
        saml_providers.update,
        body=SAMLProviderUpdate,
        show=provider,
        field="updateSAMLProvider",
        permission="organization:admin",
    ),
    get(
        "listSSOProviderLoginsInOrganization",
        f"{O}/sso",
        saml_providers.list_logins,
        show=logins,
        field="Organization.ssoLogins",
        permission="organization:view",
    ),
)
