"""Operations on the service, on people, and on organizations with their domains, hosts and quotas."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.infrastructure import service
from app.domain.organizations import organization_deletion, organizations, quotas, users
from app.domain.privacy import account_deletion, personal_data
from app.domain.sites import custom_hostnames
from app.models.domain_claims import DomainsQuery, DomainVerify
from app.models.organizations import OrganizationCreate, OrganizationDelete, OrganizationUpdate
from app.models.users import UserUpdate
from app.present.accounts import user_export
from app.present.organizations import custom_hostname, domain, organization, subdomain
from app.present.organizations import organizations as show_organizations
from app.present.organizations import quotas as show_quotas
from app.present.organizations import service as show
from app.present.people import user

DOMAINS = "/orgs/{organizationId}/domains"
HOSTNAME = "/custom-hostnames/{hostname}"


OPERATIONS = [
    *family(
        "Organizations and invites",
        listing(
            "listOrganizationsForAuthenticatedUser",
            "/orgs",
            organizations.list_mine,
            show=organization,
            field="User.organizations",
            permission="anybody",
            tool="list_organizations",
        ),
        post(
            "createOrganization",
            "/orgs",
            organizations.create,
            body=OrganizationCreate,
            show=organization,
            status=201,
            field="createOrganization",
            permission="anybody",
        ),
        get(
            "getOrganizationById",
            "/orgs/{organizationId}",
            organizations.get,
            show=organization,
            field="Query.organization",
            permission="organization:view",
            scope="always",
        ),
        patch(
            "updateOrganizationById",
            "/orgs/{organizationId}",
            organizations.update,
            body=OrganizationUpdate,
            show=organization,
            field="updateOrganization",
            permission="organization:admin",
        ),
        post(
            "deleteOrganizationById",
            "/orgs/{organizationId}/delete",
            organization_deletion.delete,
            body=OrganizationDelete,
            show=organization,
            field="deleteOrganization",
            permission="organization:delete",
        ),
        post(
            "restoreOrganization",
            "/orgs/{organizationId}/restore",
            organization_deletion.restore,
            show=organization,
            field="restoreOrganization",
            permission="organization:restore",
        ),
        get(
            "getOrganizationsForEmailDomain",
            "/email-domains/{emailDomain}/orgs",
            organizations.organizations_of_domain,
            show=show_organizations,
            field="Query.organizationsForEmailDomain",
            permission="anybody",
        ),
        get(
            "getSubdomain",
            "/subdomains/{subdomain}",
            organizations.subdomain,
            show=subdomain,
            field="Query.subdomain",
            permission="anybody",
        ),
    ),
    *family(
        "Domains and hostnames",
        listing(
            "listDomainsInOrganization",
            DOMAINS,
            organizations.list_domains,
            query=DomainsQuery,
            show=domain,
            field="Organization.domains",
            permission="organization:admin",
        ),
        get(
            "getDomainById",
            f"{DOMAINS}/{{domainId}}",
            organizations.get_domain,
            show=domain,
            field="Organization.domain",
            permission="organization:admin",
        ),
        post(
            "verifyDomain",
            f"{DOMAINS}/{{domainId}}/verify",
            organizations.verify_domain,
            body=DomainVerify,
            show=domain,
            prepare=organizations.look_up_domain,
            field="verifyDomain",
            permission="organization:admin",
        ),
        remove(
            "removeDomain",
            f"{DOMAINS}/{{domainId}}",
            organizations.remove_domain,
            field="removeDomain",
            permission="organization:admin",
        ),
    ),
    *family(
        "Domains and hostnames",
        get(
            "getCustomHostname",
            HOSTNAME,
            custom_hostnames.get,
            show=custom_hostname,
            field="Query.customHostname",
            permission="site:admin",
        ),
        patch(
            "revalidateCustomHostname",
            HOSTNAME,
            custom_hostnames.recheck,
            prepare=custom_hostnames.look_up,
            status=204,
            field="revalidateCustomHostname",
            permission="site:admin",
        ),
        remove(
            "removeCustomHostname",
            HOSTNAME,
            custom_hostnames.remove,
            field="removeCustomHostname",
            permission="site:admin",
        ),
    ),
    *family(
        "Quotas",
        get(
            "getQuotasInOrganization",
            "/orgs/{organizationId}/quotas",
            quotas.get,
            show=show_quotas,
            field="Organization.quotas",
            permission="organization:admin",
        ),
    ),
    *family(
        "Service",
        get(
            "getServiceInformation",
            "/",
            service.get,
            show=show,
            field="Query.service",
            permission="public",
            scope="always",
        ),
    ),
    *family(
        "Organizations and invites",
        get(
            "getAuthenticatedUser",
            "/user",
            users.me,
            show=user,
            field="Query.me",
            permission="anybody",
        ),
        get(
            "getUserById",
            "/users/{userId}",
            users.get,
            show=user,
            field="Query.user",
            permission="anybody",
        ),
        patch(
            "updateUserById",
            "/users/{userId}",
            users.update,
            body=UserUpdate,
            show=user,
            field="updateUser",
            permission="anybody",
        ),
        remove(
            "deleteUserById",
            "/users/{userId}",
            account_deletion.delete_own,
            field="deleteUser",
            permission="anybody",
        ),
    ),
    *family(
        "Accounts",
        get(
            "exportUserById",
            "/users/{userId}/export",
            personal_data.export,
            show=user_export,
            field="User.export",
            permission="anybody",
        ),
    ),
]
