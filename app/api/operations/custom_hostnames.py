"""Operations on hosts of sites."""

from __future__ import annotations

from app.api.operation import family, get, patch, remove
from app.domain.sites import custom_hostnames
from app.present.organizations import custom_hostname

H = "/custom-hostnames/{hostname}"

OPERATIONS = family(
    "Domains and hostnames",
    get(
        "getCustomHostname",
        H,
        custom_hostnames.get,
        show=custom_hostname,
        field="Query.customHostname",
        permission="site:admin",
    ),
    patch(
        "revalidateCustomHostname",
        H,
        custom_hostnames.recheck,
        prepare=custom_hostnames.look_up,
        status=204,
        field="revalidateCustomHostname",
        permission="site:admin",
    ),
    remove(
        "removeCustomHostname",
        H,
        custom_hostnames.remove,
        field="removeCustomHostname",
        permission="site:admin",
    ),
)
