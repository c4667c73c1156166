"""The addresses of the steps that a browser goes through to sign in, to accept, to allow."""

from __future__ import annotations

from importlib import import_module

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.runtime import Runtime


def routes(runtime: Runtime) -> list[Route]:
    """Return the routes of all steps; what answers one is loaded when somebody takes it."""

    def route(path: str, step: str, *methods: str) -> Route:
        module, name = step.split(".")

        async def answer_step(request: Request) -> Response:
            from app.web import browsers

            return await browsers.answer(runtime, request, getattr(import_module(f"app.web.{module}"), name))

        return Route(path, answer_step, methods=methods or ["GET"])

    return [
        route("/sign-in", "sign_in.begin"),
        route("/sign-in", "sign_in.ask_for_link", "POST"),
        route("/sign-in/link", "sign_in.open_link"),
        route("/sign-in/link", "sign_in.use_link", "POST"),
        route("/sign-in/passkey/options", "passkeys.begin_signing_in", "POST"),
        route("/sign-in/passkey", "passkeys.sign_in", "POST"),
        route("/sign-out", "sign_in.sign_out", "POST"),
        route("/account", "passkeys.account"),
        route("/account/passkeys/options", "passkeys.begin_adding", "POST"),
        route("/account/passkeys", "passkeys.add", "POST"),
        route("/account/passkeys/{passkey}/delete", "passkeys.remove", "POST"),
        route("/o/{organization}/invite/{invite}", "invitations.show"),
        route("/o/{organization}/invite/{invite}", "invitations.accept", "POST"),
        route("/oauth/authorize", "oauth.ask"),
        route("/oauth/authorize", "oauth.decide", "POST"),
        route("/oauth/device", "oauth.ask_for_code"),
        route("/oauth/device", "oauth.decide_for_device", "POST"),
        route("/oidc/{provider}/start", "oidc.start"),
        route("/oidc/{provider}/callback", "oidc.callback"),
        route("/sso/session", "sign_in.session"),
        route("/unsubscribe/{user}/{kind}/{signature}", "unsubscribe.unsubscribe", "GET", "POST"),
        route("/sso/sign-out", "sign_in.sign_out", "POST"),
        route("/sso/{provider}/start", "saml.start"),
        route("/sso/{provider}/acs", "saml.acs", "POST"),
        route("/sso/{provider}/metadata", "saml.metadata"),
    ]
