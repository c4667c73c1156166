"""LZ-string's URI-component form read back: the form compressed render requests come in.

The format grows a thousandfold from little, so the caller says how long a text may become.
"""

from __future__ import annotations

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$"
BITS = {character: f"{value & 63:06b}" for value, character in enumerate(ALPHABET)}
EIGHT, SIXTEEN, END = 0, 1, 2  # codes: a character of 8 bits follows, of 16 bits, nothing more


class NotCompressed(ValueError):
    """The text is not what LZ-string writes, or is longer than allowed."""


class _BitReader:
    """The bits of a compressed text: of each character the highest comes first, of each number the lowest."""

    def __init__(self, text: str) -> None:
        try:
            self._bits = "".join([BITS[character] for character in text])
        except KeyError:
            raise NotCompressed("The text has characters that LZ-string does not use.") from None
        self._at = 0

    def number(self, width: int) -> int:
        begin, self._at = self._at, self._at + width
        if self._at > len(self._bits):
            raise NotCompressed("The text ends too early.")
        return int(self._bits[begin : self._at][::-1], 2)


def decompress(text: str, *, most: int) -> str:
    """Return the text that was compressed, of at most so many UTF-16 units. Raises NotCompressed."""
    if not text:
        return ""
    reader = _BitReader(text.replace(" ", "+"))  # a form's plus sign that was read as a space
    units = "".join(_decompressed(reader, most))
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _decompressed(reader: _BitReader, most: int) -> list[str]:
    phrases = ["", "", ""]  # the first three are codes
    code = reader.number(2)
    if code == END:
        return []
    before = _character(reader, code)
    phrases.append(before)
    found, size = [before], 1
    width, room = 3, 4  # phrases there is room for at this width, before the next
    while True:
        code = reader.number(width)
        if code == END:
            return found
        if code in (EIGHT, SIXTEEN):
            phrases.append(_character(reader, code))
            code = len(phrases) - 1
            room -= 1
            if not room:
                room, width = 1 << width, width + 1
        if code > len(phrases):
            raise NotCompressed("The text refers to something that has not come yet.")
        phrase = phrases[code] if code < len(phrases) else before + before[0]
        size += len(phrase)
        if size > most:
            raise NotCompressed(f"The text is longer than {most} characters.")
        found.append(phrase)
        phrases.append(before + phrase[0])
        before = phrase
        room -= 1
        if not room:
            room, width = 1 << width, width + 1


def _character(reader: _BitReader, code: int) -> str:
    if code not in (EIGHT, SIXTEEN):
        raise NotCompressed("The text begins with something that has not come yet.")
    return chr(reader.number(8 if code == EIGHT else 16))
