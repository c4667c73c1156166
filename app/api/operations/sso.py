"""Operations on single sign-on. What browsers meet there is in `sign_in`.

Operations on the audit log.
"""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.audit import audit_events
from app.domain.sso import identity_providers, oidc_providers
from app.models.audit import AuditQuery
from app.models.sso import OIDCProviderCreate, OIDCProviderUpdate, SAMLProviderCreate, SAMLProviderUpdate
from app.present.people import audit_event, logins, oidc_provider, provider

ORGANIZATION = "/orgs/{organizationId}"


AUDIT_EVENTS = "/orgs/{organizationId}/audit-events"


OPERATIONS = [
    *family(
        "SAML and SSO",
        listing(
            "listSAMLProvidersInOrganizationById",
            f"{ORGANIZATION}/saml",
            identity_providers.list_saml,
            show=provider,
            field="Organization.samlProviders",
            permission="organization:admin",
        ),
        post(
            "createOrganizationSAMLProvider",
            f"{ORGANIZATION}/saml",
            identity_providers.create_saml,
            prepare=identity_providers.fetch_new_metadata,
            body=SAMLProviderCreate,
            show=provider,
            status=201,
            field="createSAMLProvider",
            permission="organization:admin",
        ),
        get(
            "getOrganizationSAMLProviderById",
            f"{ORGANIZATION}/saml/{{samlProviderId}}",
            identity_providers.get_saml,
            show=provider,
            field="Organization.samlProvider",
            permission="organization:admin",
        ),
        remove(
            "deleteOrganizationSAMLProvider",
            f"{ORGANIZATION}/saml/{{samlProviderId}}",
            identity_providers.delete_saml,
            field="deleteSAMLProvider",
            permission="organization:admin",
        ),
        patch(
            "updateOrganizationSAMLProvider",
            f"{ORGANIZATION}/saml/{{samlProviderId}}",
            identity_providers.update_saml,
            prepare=identity_providers.fetch_metadata,
            body=SAMLProviderUpdate,
            show=provider,
            field="updateSAMLProvider",
            permission="organization:admin",
        ),
        listing(
            "listOIDCProvidersInOrganization",
            f"{ORGANIZATION}/oidc",
            oidc_providers.list_of_organization,
            show=oidc_provider,
            field="Organization.oidcProviders",
            permission="organization:admin",
        ),
        post(
            "createOIDCProvider",
            f"{ORGANIZATION}/oidc",
            oidc_providers.create,
            body=OIDCProviderCreate,
            show=oidc_provider,
            status=201,
            field="createOIDCProvider",
            permission="organization:admin",
        ),
        get(
            "getOIDCProvider",
            f"{ORGANIZATION}/oidc/{{oidcProviderId}}",
            oidc_providers.get,
            show=oidc_provider,
            field="Organization.oidcProvider",
            permission="organization:admin",
        ),
        patch(
            "updateOIDCProvider",
            f"{ORGANIZATION}/oidc/{{oidcProviderId}}",
            oidc_providers.update,
            body=OIDCProviderUpdate,
            show=oidc_provider,
            field="updateOIDCProvider",
            permission="organization:admin",
        ),
        remove(
            "deleteOIDCProvider",
            f"{ORGANIZATION}/oidc/{{oidcProviderId}}",
            oidc_providers.delete,
            field="deleteOIDCProvider",
            permission="organization:admin",
        ),
        get(
            "listSSOProviderLoginsInOrganization",
            f"{ORGANIZATION}/sso",
            identity_providers.list_logins,
            show=logins,
            field="Organization.ssoLogins",
            permission="organization:view",
        ),
    ),
    *family(
        "Audit log",
        listing(
            "listAuditEvents",
            AUDIT_EVENTS,
            audit_events.list_events,
            query=AuditQuery,
            show=audit_event,
            field="Organization.auditEvents",
            permission="organization:admin",
        ),
        get(
            "getAuditEvent",
            f"{AUDIT_EVENTS}/{{auditEventId}}",
            audit_events.get,
            show=audit_event,
            field="Organization.auditEvent",
            permission="organization:admin",
        ),
    ),
]
