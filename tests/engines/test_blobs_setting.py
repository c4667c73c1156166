"""The setting that names a bucket: what is taken, what is refused with a sentence, what is loaded for it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from app.kit.settings import Settings
from tests.cli.command import ROOT, environment


@pytest.mark.parametrize(
    "address",
    [
        "s3://bucket",
        "s3://my.own-bucket/",
        "s3://bucket/some/prefix_1",
        "s3://bucket/a?region=eu-central-1",
        "s3://bucket?endpoint=http://127.0.0.1:9000&region=local",
        "s3://bucket?endpoint=https%3A%2F%2Fs3.example.org%2F",
    ],
)
def test_a_bucket_is_named_by_an_address(address: str) -> None:
    assert Settings(blobs=address).blobs == address


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("bucket", "must be s3://"),
        ("https://bucket", "must be s3://"),
        ("s3://", "must be s3://"),
        ("s3://UPPER", "must be s3://"),
        ("s3://key:secret@bucket", "must be s3://"),
        ("s3://bucket#top", "must be s3://"),
        ("s3://bucket/../up", "is no prefix"),
        ("s3://bucket/a b", "is no prefix"),
        ("s3://bucket?color=red", "knows region and endpoint, not “color”"),
        ("s3://bucket?region=", "is no region"),
        ("s3://bucket?endpoint=ftp://x", "is no endpoint"),
        ("s3://bucket?endpoint=http://a:b@c", "is no endpoint"),
    ],
)
def test_what_names_no_bucket_is_refused_with_a_sentence(address: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Settings(blobs=address)


def test_the_library_is_loaded_only_where_there_is_a_bucket() -> None:
    program = (
        "import sys, app.main, app.web.files; from app.kit.settings import Settings;"
        "Settings(blobs='s3://bucket'); print('obstore' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.strip() == "False"
