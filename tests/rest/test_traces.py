"""Traces: a span of each request, in the trace of its caller, at a collector that speaks OTLP."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app.kit.settings import Settings
from tests import make
from tests.instance import running

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector(ThreadingHTTPServer):
    """A collector on this machine, with the spans that it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receive)
        self.spans: list[Any] = []
        self.service: dict[str, str] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1/traces"


class _Receive(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        body = self.rfile.read(int(self.headers["content-length"]))
        sent = ExportTraceServiceRequest.FromString(
            gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
        )
        for resource in sent.resource_spans:
            self.server.service = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.server.spans += scope.spans
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as collector:
        Thread(target=collector.serve_forever, daemon=True).start()
        yield collector
        collector.shutdown()


def attributes(span: Any) -> dict[str, Any]:
    """The attributes of a span, by name."""
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def test_a_request_continues_the_trace_of_its_caller(fresh_database: str, collector: Collector) -> None:
    with running(fresh_database, traces_url=collector.address, traces_share=0) as instance:
        cast = make.cast(instance)
        path = f"/v1/orgs/{cast.organization}"
        for flags in ("01", "00"):
            headers = {
                "traceparent": f"00-{TRACE}-{PARENT}-{flags}",
                "x-request-id": f"request-{flags}",
                "Authorization": f"Bearer {cast.ada.token}",
            }
            assert instance.http.get(path, headers=headers).status_code == 200
        assert cast.ada.get(path).status_code == 200  # whose caller has no trace
    assert collector.service["service.name"] == "docyard"
    (span,) = collector.spans  # all are sent before the server ends
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert span.name == "getOrganizationById"
    assert span.end_time_unix_nano >= span.start_time_unix_nano > 0
    assert attributes(span) == {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "http.route": "getOrganizationById",
        "url.path": path,
        "docyard.request": "request-01",
    }


def test_a_trace_that_means_nothing_begins_a_new_one(fresh_database: str, collector: Collector) -> None:
    with running(fresh_database, traces_url=collector.address) as instance:
        for given in ("", "00-x-y-01", "\xff", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"):
            headers = {b"traceparent": given.encode("latin-1")}
            assert instance.http.get("/healthz", headers=headers).status_code == 200
    assert [span.name for span in collector.spans] == ["GET /healthz"] * 4
    assert len({span.trace_id for span in collector.spans}) == 4


def test_a_collector_that_is_away_harms_nobody(fresh_database: str) -> None:
    with running(fresh_database, traces_url="http://127.0.0.1:9/v1/traces") as instance:
        assert instance.http.get("/healthz").status_code == 200


@pytest.mark.parametrize("given", ["collector:4318", "ftp://collector", "http://"])
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="must begin with http"):
        Settings(traces_url=given)
