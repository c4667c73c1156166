"""All kinds of jobs, and the lanes in which they run.

Jobs of different lanes never wait for each other, and no organization takes all places of a lane: whatever
one has queued, and however slow the hosts are that its jobs wait for, there is a place for the jobs of
others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.access.audit_actions import AuditAction
from app.domain.domains import domain_claims
from app.domain.git_sync import sync_state
from app.domain.infrastructure import blobs
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.openapi import openapi_specs
from app.domain.spaces import purge
from app.kit import workers
from app.models.jobs import Job

Perform = Callable[[JobRuntime, Job], Awaitable[None]]


async def purge_space(runtime: JobRuntime, job: Job) -> None:
    """Remove a deleted space for good."""
    action = AuditAction("job", "purgeSpace")
    await runtime.write(NOBODY, lambda cx: purge.purge_space(cx, job.subject), action)


async def remove_objects(runtime: JobRuntime, job: Job) -> None:
    """Remove from the bucket what no row names any more."""
    await blobs.remove_objects(runtime.settings, job.payload["places"])


async def remove_upload(runtime: JobRuntime, job: Job) -> None:
    """Remove an upload that nobody used."""
    from app.domain.uploads import uploads

    action = AuditAction("job", "removeUpload")
    await runtime.write(NOBODY, lambda cx: uploads.remove_unused(cx, job.subject), action)


async def sync_space(runtime: JobRuntime, job: Job) -> None:
    """Synchronise a space with its repository."""
    from app.domain.git_sync import sync_runs  # with the whole importer, which few processes need

    await sync_runs.perform(runtime, job)


async def run_import(runtime: JobRuntime, job: Job) -> None:
    """Do an import run."""
    from app.domain.imports import import_jobs  # with the whole importer

    await import_jobs.perform(runtime, job)


async def process_openapi(runtime: JobRuntime, job: Job) -> None:
    """Read an OpenAPI specification."""
    await workers.load("app.domain.openapi.openapi_jobs")
    from app.domain.openapi import openapi_jobs  # with what fetches, which few processes need

    await openapi_jobs.process(runtime, job)


async def renew_openapi_pages(runtime: JobRuntime, job: Job) -> None:
    """Bring the pages that are computed from an OpenAPI specification up to date."""
    await workers.load("app.domain.revisions.openapi_pages")
    from app.domain.revisions import openapi_pages  # with what writes content

    await openapi_pages.renew(runtime, job)


async def compute_content(runtime: JobRuntime, job: Job) -> None:
    """Ask a content source of an integration for its pages."""
    from app.domain.revisions import source_jobs

    await source_jobs.perform(runtime, job)


async def rebuild_links(runtime: JobRuntime, job: Job) -> None:
    """Work out the links of a space anew from its texts."""
    from app.domain.revisions import link_rebuild  # with what writes content

    await link_rebuild.rebuild(runtime, job)


async def deliver_events(runtime: JobRuntime, job: Job) -> None:
    """Tell an integration what happened."""
    from app.domain.integrations import deliveries  # few installations have integrations

    await deliveries.deliver(runtime, job)


async def fetch_site_scripts(runtime: JobRuntime, job: Job) -> None:
    """Ask an integration for the scripts of sites."""
    from app.domain.integrations import deliveries

    await deliveries.fetch_scripts(runtime, job)


async def deliver_task(runtime: JobRuntime, job: Job) -> None:
    """Tell an integration of a task whose time has come."""
    from app.domain.integrations import integration_events

    begin = partial(integration_events.begin_task, integration_id=job.subject, payload=job.payload)
    await runtime.write(NOBODY, begin, AuditAction("job", "queueIntegrationTask"))


async def remove_organization(runtime: JobRuntime, job: Job) -> None:
    """Remove a deleted organization for good."""
    from app.domain.privacy import organization_removal  # with what knows of all tables

    await organization_removal.perform(runtime, job)


async def purge_integration(runtime: JobRuntime, job: Job) -> None:
    """Remove an integration that was taken back."""
    from app.domain.integrations import integrations

    action = AuditAction("job", "purgeIntegration")
    await runtime.write(NOBODY, lambda cx: integrations.purge(cx, job.subject), action)


async def check_domain(runtime: JobRuntime, job: Job) -> None:
    """Look up the proof of a domain again."""
    from app.domain.domains import domain_checks

    await domain_checks.check(runtime, job)


async def send_mail(runtime: JobRuntime, job: Job) -> None:
    """Send a mail."""
    from app.domain import mail

    await mail.perform(runtime, job)


async def tell_notifications(runtime: JobRuntime, job: Job) -> None:
    """Tell somebody by mail what is due."""
    from app.domain import notifications

    await notifications.perform(runtime, job)


async def send_sign_in_link(runtime: JobRuntime, job: Job) -> None:
    """Send a link to sign in, if somebody may have it."""
    from app.domain.accounts import sign_in_links

    await sign_in_links.perform(runtime, job)


@dataclass(frozen=True, slots=True)
class Lane:
    """Kinds of jobs that share places: so many run in one process, `share` of them for one organization."""

    kinds: dict[str, Perform]
    places: int
    share: int


LANES: Sequence[Lane] = (
    Lane(
        {
            blobs.REMOVE_OBJECTS: remove_objects,
            openapi_specs.RENEW: renew_openapi_pages,
            purge.PURGE_SPACE: purge_space,
            "purge_integration": purge_integration,
            "remove_organization": remove_organization,
            "rebuild_links": rebuild_links,
            "remove_upload": remove_upload,
        },
        places=2,
        share=1,
    ),
    # These wait for other people's servers and scripts.
    Lane({sync_state.SYNC: sync_space}, places=3, share=1),
    Lane({"run_import": run_import}, places=3, share=1),
    Lane({openapi_specs.PROCESS: process_openapi}, places=3, share=1),
    Lane({"deliver_events": deliver_events, "deliver_task": deliver_task}, places=16, share=8),
    Lane({"compute_content": compute_content}, places=4, share=2),
    Lane({"fetch_site_scripts": fetch_site_scripts}, places=4, share=2),
    Lane({domain_claims.CHECK: check_domain}, places=4, share=1),
    Lane(
        {
            "send_sign_in_link": send_sign_in_link,
            "send_mail": send_mail,
            "tell_notifications": tell_notifications,
        },
        places=4,
        share=4,
    ),
)
