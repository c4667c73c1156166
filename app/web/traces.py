"""Traces of requests for OpenTelemetry. Loaded only where there is an address that they are sent to."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from app.kit.build import VERSION
from app.kit.logs import ASKED, LONGEST_PATH, masked, request_id
from app.kit.settings import Settings

PATIENCE = 5.0  # seconds that sending some spans may take
CONTINUED = (b"traceparent", b"tracestate")
SECOND = 1_000_000_000  # nanoseconds


class RequestTraces:
    """Makes a span of each request, which continues the trace that its caller names.

    `name_of` tells what a request asks for. Spans are sent by a thread of their own; where the collector does
    not take them, they are dropped.
    """

    def __init__(self, settings: Settings, name_of: Callable[[Any], str]) -> None:
        self._name_of = name_of
        exporter = OTLPSpanExporter(endpoint=settings.traces_url, timeout=PATIENCE)
        self._provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(settings.traces_share)),
            resource=Resource.create({"service.name": "docyard", "service.version": VERSION}),
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("docyard")
        self._propagator = TraceContextTextMapPropagator()

    def observe(self, scope: Any, status: int, _until_begun: float, seconds: float) -> None:
        """Make the span of a request that has ended."""
        ended = time.time_ns()
        headers = {
            name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in CONTINUED
        }
        asked = scope.get(ASKED) or self._name_of(scope)
        span = self._tracer.start_span(
            asked,
            context=self._propagator.extract(headers),
            kind=SpanKind.SERVER,
            start_time=ended - int(seconds * SECOND),
        )
        if span.is_recording():
            span.set_attributes(
                {
                    "http.request.method": scope["method"],
                    "http.response.status_code": status,
                    "http.route": asked,
                    "url.path": masked(scope["path"][:LONGEST_PATH]),
                    "docyard.request": request_id.get(),
                }
            )
            if status >= 500:
                span.set_status(Status(StatusCode.ERROR))
        span.end(ended)

    def close(self) -> None:
        """Send what is left; blocking, so call it from a thread."""
        self._provider.shutdown()
