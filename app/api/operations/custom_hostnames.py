"""REST rows of hosts of sites."""

from __future__ import annotations

from app.api.operation import Operation, family, get, remove
from app.domain.sites import custom_hostnames
from app.present.domains import custom_hostname

H = "/custom-hostnames/{hostname}"

OPERATIONS = family(
    "Domains and hostnames",
    get("getCustomHostname", H, custom_hostnames.get, show=custom_hostname),
    Operation(
        id="revalidateCustomHostname",
        method="PATCH",
        path=H,
        call=custom_hostnames.recheck,
        prepare=custom_hostnames.look_up,
        status=204,
    ),
    remove("removeCustomHostname", H, custom_hostnames.remove),
)
