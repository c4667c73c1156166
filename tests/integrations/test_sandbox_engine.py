"""The three hardenings of the engine, each seen to work, and what it is allowed to load."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.kit.sandbox import engine
from app.kit.sandbox.engine import Machine, SandboxMissing, guest_file, new_engine, new_machine, precompile
from app.kit.sandbox.guest import Guest, new_images
from app.kit.sandbox.instance import PAGE, Instance, Trapped, differing
from app.kit.sandbox.session import Session
from app.kit.sandbox.shapes import Budget, ScriptRequest
from tests.integrations.script_calls import handler, patient

MB = 1_000_000


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """The engine, made as the product makes it."""
    machine = new_machine()
    yield machine
    machine.ready.close()


def test_a_memory_cannot_grow_past_its_limit(machine: Machine) -> None:
    instance = Instance(machine, 8 * MB)
    try:
        with pytest.raises(Trapped) as trapped:
            [instance.put(bytes(MB)) for _ in range(100)]
        assert trapped.value.why == "memory"
        assert instance.size <= 8 * MB
    finally:
        instance.close()


def test_native_work_is_interrupted_at_its_epoch(machine: Machine) -> None:
    script = handler("const a = Array.from({ length: 2e5 }, (_, i) => -i % 977); for (;;) a.slice().sort();")
    session = Session(script, ScriptRequest("https://a.example"), {}, Budget(busy_seconds=0.2))
    session.begin(machine, new_images(machine), 10)
    session.close()
    assert session.error is not None
    assert session.error[0] == "SCRIPT_TIMEOUT"


def test_epochs_are_not_shared_out_wrongly(machine: Machine) -> None:
    """A long budget beside a short one: the end of the short one does not end the long one."""
    short = Guest(machine, 16 * MB, lambda text, body: None, handler(""))
    long = Guest(machine, 16 * MB, lambda text, body: None, handler(""))
    try:
        with pytest.raises(Trapped):
            enter_often(short, 0.0)
        enter_often(long, 300.0, times=50)
    finally:
        short.close()
        long.close()


def enter_often(guest: Guest, seconds: float, times: int = 1_000_000) -> None:
    for _ in range(times):
        guest.enter("ring", seconds=seconds)


def test_the_clock_stands_while_nothing_computes(machine: Machine) -> None:
    guest = Guest(machine, 16 * MB, lambda text, body: None, handler(""))
    try:
        time.sleep(0.2)
        guest._instance.store.set_epoch_deadline(2)
        time.sleep(0.2)
        guest._instance.call("qjs_last_len")  # would trap if epochs had gone by
    finally:
        guest.close()


def test_compiled_code_is_loaded_only_from_where_this_process_cannot_write() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = precompile(folder)
        file.chmod(0o444)
        folder.chmod(0o555)
        assert not engine.out_of_reach(file)  # ours: we could change it
        if os.geteuid() == 0:
            assert seen_by_nobody(file), "what root has written is out of everybody else's reach"
            file.chmod(0o666)
            assert not seen_by_nobody(file)
            file.chmod(0o444)
            folder.chmod(0o777)
            assert not seen_by_nobody(file)
        folder.chmod(0o700)


def seen_by_nobody(file: Path) -> bool:
    os.seteuid(65534)
    try:
        return engine.out_of_reach(file)
    finally:
        os.seteuid(0)


def test_compiled_code_runs_and_what_is_no_such_code_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = guest_file().read_bytes()
    file = precompile(tmp_path)
    monkeypatch.setattr(engine, "out_of_reach", lambda path: True)
    for content in (file.read_bytes(), file.read_bytes()[:5000], b"nonsense"):
        file.write_bytes(content)
        module = engine.module(new_engine(), guest, tmp_path)
        assert "eval_code" in {export.name for export in module.exports}


def test_another_guest_than_the_known_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "GUEST", "0" * 64)
    with pytest.raises(SandboxMissing):
        new_machine()


def test_without_the_extra_a_call_says_so() -> None:
    program = """
import sys
sys.modules["quickjs_rs"] = None
from tests.integrations.script_calls import call
print(call("export default { fetch() { return new Response(); } };").error)
"""
    said = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
        text=True,
        timeout=300,
    )
    assert said.stdout == "SANDBOX_MISSING\n"


def test_an_image_is_what_differs() -> None:
    new = b"a" * 10 + bytes(6)
    data = b"a" * 4 + b"b" * 4 + b"a" * 2 + bytes(6) + b"cccc" + bytes(4)
    assert differing(data, new, 4) == [(4, b"bbbb"), (16, b"cccc")]
    assert PAGE % 4096 == 0


def test_a_guest_that_starts_from_an_image_is_as_one_that_ran_the_prelude(machine: Machine) -> None:
    images = new_images(machine)
    heard: list[str] = []

    def hear(text: str, body: bytes | None) -> None:
        heard.append(text)

    for image in (None, images.base):
        guest = Guest(machine, 16 * MB, hear, "export default { fetch() {} };", image)
        guest.enter("load", seconds=300)
        guest.close()
    assert heard == ["o", "o"]


def test_images_of_scripts_are_kept_within_their_room(machine: Machine) -> None:
    images = new_images(machine)
    request = ScriptRequest("https://a.example")

    def load(script: str) -> None:
        session = Session(script, request, {}, patient())
        session.begin(machine, images, 300)
        session.close()
        assert session.error is None, session.error

    answer = "return new Response('x');"
    load(handler(answer))
    one = sum(image.weight for image in images.kept.values())
    room = 3 * one + one // 2
    images = new_images(machine, room)
    for count in range(6):
        load(handler(answer, before=f"const count = {count};"))
        assert sum(image.weight for image in images.kept.values()) <= room
    assert len(images.kept) == 3
    load(handler(answer, before="const large = new Uint8Array(2e7).fill(1);"))
    load(handler(answer, before="const when = crypto.randomUUID();"))
    load(handler(answer, before="console.log('loading');"))
    assert len(images.kept) == 3
