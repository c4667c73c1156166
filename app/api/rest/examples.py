"""Examples in the API's document: made from the schemas, so that they cannot be wrong, in words people use.

A value is taken from `WHOLE` by the schema's name, else from `WORDS` by the field's, else made from its type.
"""

from __future__ import annotations

from typing import Any

from app.api.rest.schemas import PLACE, Schema
from app.kit.build import VERSION
from app.kit.errors import SEND_A_TOKEN

ID = "0Ivz2S5rBq8WxTnYc1Kd"
OTHER_ID = "0Ivz2S7mEo3GhUaPf9Lb"
TIME = "2026-03-14T09:26:53Z"
BASE = "https://docs.example.org"

WORDS: dict[str, Any] = {
    "id": ID,
    "title": "Handbook",
    "description": "How we work, and why.",
    "emoji": "1f4d8",
    "icon": f"{BASE}/icon.png",
    "organization": OTHER_ID,
    "parent": OTHER_ID,
    "revision": OTHER_ID,
    "space": ID,
    "displayName": "Ada Lovelace",
    "email": "ada@example.org",
    "emailDomains": ["example.org"],
    "hostname": "example",
    "photoURL": f"{BASE}/ada.png",
    "location": f"{BASE}/v1/spaces/{ID}",
    "app": f"{BASE}/o/{OTHER_ID}/s/{ID}",
    "logo": f"{BASE}/logo.png",
    "language": "en",
    "languages": ["de", "fr"],
    "defaultLevel": "inherit",
    "defaultRole": "read",
    "plan": "free_2024",
    "url": "https://example.org/guide",
    "downloadURL": f"{BASE}/files/diagram.png",
    "name": "diagram.png",
    "contentType": "image/png",
    "size": 48213,
    "path": "guide/first-steps",
    "slug": "first-steps",
    "markdown": "# First steps\n\nInstall it, then run it.\n",
    "body": "Install it, then run it.",
    "message": "Restore the first steps",
    "ref": "refs/heads/main",
    "query": "install",
    "label": "Company login",
    "entityID": "https://login.example.com/metadata",
    "metadataURL": "https://login.example.com/metadata",
    "ssoURL": "https://login.example.com/sso",
    "issuer": "https://login.example.com",
    "redirectURI": f"{BASE}/oidc/{ID}/callback",
    "certificate": "MIIDDzCCAfegAwIBAgIUQ2h1cmNoIGFuZCBUdXJpbmc=",
    "acsURL": f"{BASE}/sso/{ID}/acs",
    "startURL": f"{BASE}/sso/{ID}/start",
    "page": "WzEyLCIwSXZ6MlM1ckJxOFd4VG5ZYzFLZCJd.3q2-7w",
    "count": 1,
    "total": 3,
    "anchor": "needs",
    "changeRequest": OTHER_ID,
    "collection": OTHER_ID,
    "communityType": "nonProfit",
    "document": OTHER_ID,
    "documentId": OTHER_ID,
    "height": 720,
    "hidden": False,
    "mergedFrom": OTHER_ID,
    "noIndex": False,
    "noRobotsIndex": False,
    "oid": "d6b1f2a0c34e5789",
    "parents": [OTHER_ID],
    "site": ID,
    "type": "space",
    "repoCommitURL": "https://git.example.org/acme/docs/commit/",
    "repoName": "acme/docs",
    "repoProjectDirectory": "docs",
    "repoTreeURL": "https://git.example.org/acme/docs/tree/",
    "timestamp": TIME,
    "useCase": "internalDocs",
    "key": "Yk3vQ0pXn7uLz2RbT8sWd4Hc6JfMa9Ge",
    "eventId": ID,
    "installationId": OTHER_ID,
    "emails": ["ada@example.org"],
    "failedSSOEmails": ["ada@example.com"],
    "homepage": "https://wick.example.org",
    "redirectURIs": ["https://wick.example.org/back"],
    "width": 1280,
    "urlUnfurl": ["https://lamps.example.org/lamp/"],
    "tunnelUrl": "https://tunnel.example.org/events",
    "script": 'export default { async fetch(request) { return new Response("ok"); } };',
    "version": VERSION,
    "build": "a3f1c29b04de",
}

PAGE: dict[str, Any] = {
    "id": ID,
    "title": "First steps",
    "type": "document",
    "createdAt": TIME,
    "updatedAt": TIME,
    "urls": {"app": f"{BASE}/o/{OTHER_ID}/s/{ID}/guide/first-steps"},
    "slug": "first-steps",
    "path": "guide/first-steps",
    "description": "From nothing to a page.",
    "hidden": False,
    "markdown": WORDS["markdown"],
}

WHOLE: dict[str, Any] = {
    "Page": PAGE,
    "Reference": {
        "kind": "page",
        "versionContext": {"type": "revision", "revision": OTHER_ID},
        "page": {name: PAGE[name] for name in PAGE if name != "markdown"},
    },
    "CustomizationOverride": {
        "styling": {"primaryColor": {"light": "#346ddb", "dark": "#7aa2f7"}},
        "header": {"preset": "bold"},
    },
    "CustomizationPreview": {
        "styling": {"primaryColor": {"light": "#346ddb", "dark": "#7aa2f7"}},
        "target": "/guide/start",
    },
    "Move": {"parent": OTHER_ID, "position": {"after": {"type": "space", "space": ID}}},
    "Transfer": {"organization": OTHER_ID},
    "SpaceTransfer": {"organization": OTHER_ID, "collection": ID},
    "LinkInviteCreate": {"level": "read", "space": ID},
    "OrganizationUpdate": {"title": "Handbook", "emailDomains": ["example.org"], "defaultRole": "read"},
    "SpaceUpdate": {"title": "Handbook", "emoji": "1f4d8", "defaultLevel": "read"},
    "Body": {"markdown": WORDS["markdown"]},
    "ContentChange": {
        "operation": "insert_page",
        "title": "First steps",
        "document": {"markdown": WORDS["markdown"]},
        "into": OTHER_ID,
        "at": 0,
    },
    "GrantsCreate": {"role": "edit", "users": [ID], "teams": [OTHER_ID]},
    "TeamCreate": {"title": "Editors", "members": [ID]},
    "TeamMembersUpdate": {
        "add": [ID, "grace@example.org"],
        "remove": [OTHER_ID],
        "memberships": {ID: {"role": "owner"}},
    },
    "OpenAPISource": {"url": "https://example.org/openapi.yaml"},
    "Computed": {"type": "builtin:openapi", "spec": "pets-api"},
    "OpenAPISpecCreate": {"slug": "pets-api", "source": {"url": "https://example.org/openapi.yaml"}},
    "OpenAPIContent": {
        "filesystem": {
            "openapi.yaml": {
                "isEntrypoint": True,
                "specification": {
                    "openapi": "3.1.0",
                    "info": {"title": "Pets", "version": "1.2.0"},
                    "paths": {},
                },
            }
        },
        "url": f"{BASE}/openapi/public/{ID}/openapi.yaml",
    },
    "ImportBody": {"url": "https://example.org/guide", "source": "website"},
    "SiteIcon": {"emoji": "1f4d8"},
    "SiteUpdate": {
        "title": "Handbook",
        "visibility": "unlisted",
        "basename": "handbook",
        "proxy": "www.example.org/handbook",
        "adaptiveContent": {"enabled": True},
    },
    "SectionUpdate": {"title": "Handbook", "path": "handbook", "condition": "visitor.claims.plan == 'pro'"},
    "SiteSpaceUpdate": {"path": "handbook", "draft": False},
    "SectionMove": {"position": {"after": {"type": "site-section", "siteSection": OTHER_ID}}},
    "GroupMove": {"position": {"before": {"type": "site-section-group", "id": OTHER_ID}}},
    "SiteSpaceMove": {"position": {"after": {"type": "site-space", "siteSpace": OTHER_ID}}},
    "StructureSort": {
        "item": {"type": "site-section", "id": ID},
        "position": {"before": {"type": "site-external-link", "id": OTHER_ID}},
    },
    "PublishingAuthUpdate": {"backend": "custom", "fallbackURL": "https://example.org/login"},
    "ThemedColor": {"light": "#0b57d0", "dark": "#8ab4f8"},
    "ThemedColorInput": {"light": "#0b57d0", "dark": "#8ab4f8"},
    "ThemedPicture": {"light": f"{BASE}/logo.png", "dark": f"{BASE}/logo-dark.png"},
    "ThemedPictureInput": {"light": f"{BASE}/logo.png", "dark": f"{BASE}/logo-dark.png"},
}

MESSAGES = {
    400: "limit: Input should be less than or equal to 1000",
    401: SEND_A_TOKEN,
    403: "This needs the level 'edit' on the space.",
    404: "There is no such space.",
    409: "The space is deleted; restore it first.",
    412: "The object has changed since you read it; read it again.",
    413: "The body may have at most 10000000 bytes.",
    415: "Send the body as application/json.",
    422: "This idempotency key was used for another request.",
    429: "Too many requests; try again shortly.",
    503: "Too many changes at the same place; try again shortly.",
}


def error(status: int) -> Schema:
    """Return an error as it may look."""
    found: Schema = {"code": status, "message": MESSAGES[status]}
    if status == 400:
        path, _, message = MESSAGES[status].partition(": ")
        found["details"] = [{"path": path, "message": message}]
    return {"error": found}


def example(
    schema: Schema, components: dict[str, Schema], name: str = "", above: tuple[str, ...] = ()
) -> Any:
    """Return a value of this schema; a schema inside itself is not entered again."""
    if "$ref" in schema:
        target = schema["$ref"].removeprefix(PLACE)
        if target in WHOLE:
            return WHOLE[target]
        return None if target in above else example(components[target], components, name, (*above, target))
    for choice in ("const", "default"):
        if choice in schema:
            return schema[choice]
    if "enum" in schema:
        return WORDS[name] if WORDS.get(name) in schema["enum"] else schema["enum"][0]
    for kinds in ("anyOf", "oneOf"):
        if kinds in schema:
            kind = next(kind for kind in schema[kinds] if kind.get("type") != "null")
            return example(kind, components, name, above)
    return _of_type(schema, components, name, above)


def _of_type(schema: Schema, components: dict[str, Schema], name: str, above: tuple[str, ...]) -> Any:
    kind = schema.get("type", "object")
    if kind == "object":
        fields = {
            key: example(below, components, key, above) for key, below in schema.get("properties", {}).items()
        }
        required = schema.get("required", ())
        return {
            key: value for key, value in fields.items() if value or key in required or value in (False, 0)
        }
    word = WORDS.get(name)
    if kind == "array":
        if isinstance(word, list):
            return word
        item = example(schema.get("items", {}), components, name, above)
        return [] if item is None else [item]
    if kind == "boolean":
        return word if isinstance(word, bool) else True
    if kind in ("integer", "number"):
        return word if isinstance(word, int) else schema.get("minimum", 1)
    if schema.get("format") == "date-time":
        return TIME
    return word if isinstance(word, str) else name or "text"
