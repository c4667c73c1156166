"""Operations on the background jobs of an organization."""

from __future__ import annotations

from app.api.operation import family, get, listing, post, remove
from app.domain import organization_jobs
from app.models.jobs import JobsQuery
from app.present.jobs import job

JOBS = "/orgs/{organizationId}/jobs"
JOB = f"{JOBS}/{{jobId}}"

OPERATIONS = family(
    "Jobs",
    listing(
        "listJobsInOrganization",
        JOBS,
        organization_jobs.list_jobs,
        query=JobsQuery,
        show=job,
        field="Organization.jobs",
        permission="organization:admin",
    ),
    get(
        "getJobById",
        JOB,
        organization_jobs.get,
        show=job,
        field="Organization.job",
        permission="organization:admin",
    ),
    post(
        "retryJob",
        f"{JOB}/retry",
        organization_jobs.retry,
        show=job,
        field="retryJob",
        permission="organization:admin",
    ),
    remove(
        "cancelJob",
        JOB,
        organization_jobs.cancel,
        field="cancelJob",
        permission="organization:admin",
    ),
)
