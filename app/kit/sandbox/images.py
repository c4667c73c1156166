"""Images of engines that have run the prelude, and of some that have run a script's module too.

A module that loads without asking for anything (time aside) loads the same way each time, so calls of it may
start from its image: they share no memory, only its beginning.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field

from cachetools import LRUCache

from app.kit.sandbox.engine import Machine
from app.kit.sandbox.guest import Guest
from app.kit.sandbox.instance import Image, new_memory

ROOM = 32_000_000  # bytes of scripts' images kept
LARGEST = 8_000_000


@dataclass(slots=True)
class Images:
    """The prelude's image, and those of the scripts used last."""

    base: Image
    _new: bytes
    kept: LRUCache[bytes, Image]
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, script: str) -> Image | None:
        """Return the image of a script, if it is kept."""
        key = _key(script)
        with self._lock:
            return self.kept.get(key)

    def keep(self, script: str, guest: Guest) -> None:
        """Keep the image of a guest that has loaded a script and waits for nothing."""
        if guest.size > LARGEST:
            return
        image, key = guest.image(self._new), _key(script)
        with self._lock:
            self.kept.setdefault(key, image)


def new_images(machine: Machine, room: int = ROOM) -> Images:
    """Run the prelude once, not with the memory of a call: its image is for all of them.

    `room` is how many bytes the images of scripts may have together.
    """
    new = new_memory(machine)
    guest = Guest(machine, 1 << 24, lambda text, body: None, "")
    try:
        return Images(guest.image(new), new, LRUCache(room, getsizeof=lambda image: image.weight))
    finally:
        guest.close()


def _key(script: str) -> bytes:
    return hashlib.sha256(script.encode("utf-8", "surrogatepass")).digest()
