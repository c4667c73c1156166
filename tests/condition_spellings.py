"""Conditions as they may be written: a table of spellings by the places where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

CONDITION = "visitor.claims.plan == 'pro'"
AFTER = "Afterword for all."

# How a condition begins and ends. Those that are understood, and those that only come near.
UNDERSTOOD = {
    "plain": ("{% if CONDITION %}", "{% endif %}"),
    "no space": ("{%if CONDITION%}", "{%endif%}"),
    "two spaces": ("{%  if  CONDITION  %}", "{%  endif  %}"),
    "tab": ("{%\tif\tCONDITION\t%}", "{%\tendif\t%}"),
    "no-break space": ("{%\u00a0if CONDITION %}", "{% endif %}"),
    "minus": ("{%- if CONDITION -%}", "{%- endif -%}"),
    "minus without space": ("{%-if CONDITION-%}", "{%-endif-%}"),
    "upper case": ("{% IF CONDITION %}", "{% ENDIF %}"),
    "mixed case": ("{% If CONDITION %}", "{% EndIf %}"),
    "new line": ("{%\nif CONDITION\n%}", "{%\nendif\n%}"),
    "parentheses": ("{% if(CONDITION) %}", "{% endif %}"),
    "second branch": ("{% if false %}\nNo.\n{% elif CONDITION %}", "{% endif %}"),
    "last branch": ("{% if !(CONDITION) %}\nNo.\n{% else %}", "{% endif %}"),
    "nested": ("{% if CONDITION %}\n{% if true %}", "{% endif %}\n{% endif %}"),
}
NEAR = {
    "plus": ("{%+ if CONDITION %}", "{% endif %}"),
    "zero-width space": ("{%\u200bif CONDITION %}", "{% endif %}"),
    "space in the brackets": ("{ % if CONDITION %}", "{ % endif %}"),
    "two signs": ("{%% if CONDITION %}", "{%% endif %}"),
    "unless": ("{% unless !(CONDITION) %}", "{% endunless %}"),
    "other name": ("{% ifdef CONDITION %}", "{% endif %}"),
    "not closed": ("{% if CONDITION }", "{% endif %}"),
    "closed too far on": ("{% if CONDITION\n\n%}", "{% endif %}"),
    "no end": ("{% if CONDITION %}", ""),
    "end of another": ("{% if CONDITION %}", "{% endunless %}"),
    "wrong end": ("{% if CONDITION %}", "{% edif %}"),
    "only an end": ("", "{% endif %}"),
    "wrong beginning": ("{% fi CONDITION %}", "{% endif %}"),
    "no expression": ("{% if %}", "{% endif %}"),
    "no such expression": ("{% if CONDITION && %}", "{% endif %}"),
    "a function": ("{% if visitor.claims.plan.startsWith('p') %}", "{% endif %}"),
    "else if": ("{% if false %}\nNo.\n{% else if CONDITION %}", "{% endif %}"),
    "two last branches": ("{% if CONDITION %}\nYes.\n{% else %}\nNo.\n{% else %}", "{% endif %}"),
    "too long": (f"{{% if CONDITION || {'x' * 1100} %}}", "{% endif %}"),
    "too long a tag": (f"{{% if CONDITION {' ' * 4100} %}}", "{% endif %}"),
}

# Where it stands: %s is replaced line by line. A place for blocks, or the middle of something.
BLOCKS = {
    "top": "%s",
    "one line": "=%s",
    "list item": "* %s\n* Beside.",
    "nested list item": "* Above.\n  * %s\n* Beside.",
    "numbered item": "1. Above.\n2. %s",
    "quote": "> %s",
    "quoted list": "> * %s",
    "hint": '{% hint style="info" %}\n%s\n{% endhint %}',
    "tab": '{% tabs %}\n{% tab title="One" %}\n%s\n{% endtab %}\n{% endtabs %}',
    "step": "{% stepper %}\n{% step %}\n%s\n{% endstep %}\n{% endstepper %}",
    "column": "{% columns %}\n{% column %}\n%s\n{% endcolumn %}\n{% endcolumns %}",
    "details": "<details>\n\n<summary>More</summary>\n\n%s\n\n</details>",
    "footnote": "Noted[^n].\n\n[^n]: %s",
    "after HTML": "<div>\n%s\n</div>",
}
MIDDLES = {
    "middle of a line": "Words =%s and words.",
    "heading": "## Heading =%s",
    "table cell": "| Column |\n| --- |\n| =%s |",
    "HTML cell": "<table><tr><td>=%s</td></tr></table>",
    "link title": '[link][ref]\n\n[ref]: https://example.org/ "=%s"',
    "picture": "![=%s](https://example.org/a.png)",
    "argument": '{% hint style="=%s" %}\nHint.\n{% endhint %}',
    "formula": "$$\n=%s\n$$",
    "comment": "<!-- =%s -->",
    "HTML code": "<pre>=%s</pre>",
}
CODE = {
    "fence": "```\n%s\n```",
    "fence in a list": "* Item\n\n  ```\n  %s\n  ```",
    "fence in a hint": '{% hint style="info" %}\n```\n%s\n```\n{% endhint %}',
    "titled": '{% code title="a" %}\n```\n%s\n```\n{% endcode %}',
    "indented": "    %s",
    "span": "Write `=%s` so.",
    "span in a cell": "| Column |\n| --- |\n| `=%s` |",
    "span in a heading": "## Heading `=%s`",
    "raw": "{% raw %}\n%s\n{% endraw %}",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A body with a word that some may read, under a condition or what is written instead of one."""

    name: str
    word: str
    body: str
    is_understood: bool


def _written(place: str, begin: str, word: str, end: str) -> str:
    """The condition in a place, on lines of its own there or (=) on one line."""
    if "=%s" in place:
        lines = [f"{begin} {word} {end}"]
    else:
        lines = [*begin.split("\n"), f"Read {word} here.", *end.split("\n")]
    at = place.index("%s")
    before = place[place.rfind("\n", 0, at) + 1 : at].removesuffix("=")
    indent = "".join(sign if sign in "> " else " " for sign in before)
    inside = f"\n{indent}".join("\n".join(lines).split("\n"))
    return place.replace("=%s", "%s").replace("%s", inside)


def _cases(places: dict[str, str], spellings: dict[str, tuple[str, str]], prefix: str) -> Iterator[Case]:
    for place, pattern in places.items():
        for spelling, (begin, end) in spellings.items():
            name = f"{spelling} in {place}"
            word = f"{prefix}{crc32(name.encode()):010}"
            body = _written(pattern, begin.replace("CONDITION", CONDITION), word, end)
            is_understood = spellings is UNDERSTOOD and places is BLOCKS and _fits(place, spelling)
            yield Case(name, word, f"# Page\n\nForeword for all.\n\n{body}\n\n{AFTER}\n", is_understood)


def _fits(place: str, spelling: str) -> bool:
    """A tag of several lines does not fit into a quote, whose signs stand between."""
    return spelling != "new line" or not place.startswith("quote")


CONDITIONAL = [*_cases(BLOCKS, UNDERSTOOD, "secret"), *_cases(BLOCKS, NEAR, "secret")]
CONDITIONAL += [*_cases(MIDDLES, UNDERSTOOD, "secret"), *_cases(MIDDLES, NEAR, "secret")]
SHOWN = [*_cases(CODE, {"plain": UNDERSTOOD["plain"], "minus": UNDERSTOOD["minus"]}, "code")]
