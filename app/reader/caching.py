"""Answers that were written, kept for whoever asks the same: those last asked for, while there is room."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from app.kit.callers import Shared

if TYPE_CHECKING:
    from app.reader.answers import Answer

OVERHEAD = 500  # bytes that an entry costs besides its text
WORTH_ZIPPING = 500  # bytes
LONG = 50_000  # bytes that take longer to gzip than somebody should wait who asks for something else


class Written:
    """A text as it is sent, the hash it is known by, and the same gzipped for the first who can read that."""

    __slots__ = ("_is_worth_it", "_zipped", "etag", "plain")

    def __init__(self, plain: bytes, *, zipped: bool) -> None:
        self.plain = plain
        self.etag = f'"{blake2b(plain, digest_size=12).hexdigest()}"'
        self._is_worth_it = zipped and len(plain) >= WORTH_ZIPPING
        self._zipped: bytes | None = None

    @classmethod
    def of(cls, text: str | bytes, *, zipped: bool = True) -> Written:
        """What is sent of a text."""
        plain = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        return cls(plain, zipped=zipped)

    def zipped_if_long(self) -> Written:
        """The same, gzipped at once where that takes long: for whoever makes it in the worker pool."""
        if len(self.plain) > LONG:
            _ = self.zipped
        return self

    @property
    def varies(self) -> bool:
        """Whether some are sent it gzipped."""
        return self._is_worth_it

    @property
    def zipped(self) -> bytes | None:
        """The text gzipped; None where that is not worth it."""
        if self._zipped is None and self._is_worth_it:
            self._zipped = gzip.compress(self.plain, 5, mtime=0)
        return self._zipped

    def __len__(self) -> int:
        """How much room it needs, gzipped or not yet: text shrinks to a third."""
        return len(self.plain) * 4 // 3 + OVERHEAD


class Cache:
    """Answers by what they were made of, at most so many bytes together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._kept: OrderedDict[Hashable, Answer] = OrderedDict()
        self._making: dict[Hashable, Shared[Answer | None]] = {}

    @property
    def held(self) -> int:
        """How many bytes are kept."""
        return self._held

    def get(self, key: Hashable) -> Answer | None:
        """What was kept under a key, if it still is."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    async def once(
        self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Answer | None]]
    ) -> Answer | None:
        """Return what was kept under a key, or else what `make` makes, once for all who ask meanwhile.

        It goes on while one of them waits. Raises Disconnected where the caller of this request goes away.
        """
        found = self.get(key)
        if found is not None:
            return found
        making = self._making.get(key)
        if making is None or making.is_over:
            making = self._making[key] = Shared(make())
        try:
            made = await making.result()
        finally:
            if making.is_over and self._making.get(key) is making:
                del self._making[key]
        if made is not None:
            self.put(key, made)
        return made

    def put(self, key: Hashable, answer: Answer) -> None:
        """Keep an answer; what was not asked for longest goes. One larger than a quarter of all is not."""
        if len(answer.written) * 4 > self._most:
            return
        was = self._kept.pop(key, None)
        self._held += len(answer.written) - (len(was.written) if was else 0)
        self._kept[key] = answer
        while self._held > self._most:
            _, oldest = self._kept.popitem(last=False)
            self._held -= len(oldest.written)
