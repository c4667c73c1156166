"""Makes presenters, the functions that show a row as what callers get, of the shapes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from types import UnionType
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.kit import workers
from app.models.base import Column

T = TypeVar("T")
C = TypeVar("C")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., dict[str, Any] | list[dict[str, Any]]])
Presenter: TypeAlias = Callable[[C, R], dict[str, Any]]

SHAPES: dict[Callable[..., Any], type[BaseModel]] = {}


@dataclass(slots=True, frozen=True)
class Parts:
    """The fields of a shape as expressions of `cx` and `row`, None where a field is left out.

    `known` are the values of the other names in them.
    """

    expressions: Mapping[str, str]
    known: Mapping[str, Any]

    def besides(self, names: Collection[str]) -> Parts:
        """Return those of the other fields."""
        kept = {name: each for name, each in self.expressions.items() if name not in names}
        return Parts(kept, self.known)


PARTS: dict[Callable[..., Any], Parts] = {}
"""The parts of presenters, by which some fields are made of a row without the others."""


def shows(shape: type[BaseModel], *, parts: Parts | None = None) -> Callable[[F], F]:
    """Declare that a function returns what has this shape (a contract test holds it to that).

    `parts` are those of the fields that it returns as another presenter does.
    """

    def declare(function: F) -> F:
        SHAPES[function] = shape
        if parts is not None:
            PARTS[function] = parts
        return function

    return declare


class When(NamedTuple, Generic[C, R]):
    """Computes an optional field, but only of rows in which a column has a value."""

    column: str
    compute: Callable[[C, R], Any]


def presenter(
    shape: type[BaseModel],
    *,
    of: str = "",
    first: Sequence[str] = (),
    optional: Sequence[str] | None = None,
    always: Collection[str] = (),
    **computed: Callable[[C, R], Any] | When[C, R],
) -> Presenter[C, R]:
    """Return a function that shows a row as this shape, and declare that it does.

    A field is the column of its name, or of the name that its `Column` gives; with `of`, a column of that
    attribute of the row. What is `computed` is called with the context and the row instead. A literal with
    one value is that value.

    The fields of `first` lead, then come the others that have to be there, in the shape's order, and those of
    `optional`, by default all. An optional field is left out where its value is None, or an empty text or
    object of a column, unless these rows `always` have it. Raises TypeError for a name that is no field.
    """
    fields = shape.model_fields
    if unknown := {*first, *(optional or ()), *always, *computed} - fields.keys():
        raise TypeError(f"{shape.__name__} has no field {', '.join(sorted(unknown))}")
    required = [name for name, field in fields.items() if field.is_required()]
    if optional is None:
        optional = [name for name, field in fields.items() if not field.is_required()]
    row = f"row.{of}" if of else "row"
    sure = {*required, *always}
    names = dict.fromkeys((*first, *required, *optional))
    made = [_entry(name, fields[name], row, computed, sure) for name in names]
    known: dict[str, Any] = {}
    for name, each in computed.items():
        known[f"compute_{name}"] = each.compute if isinstance(each, When) else each
    # One dict display and tests in a row take half as long as a loop over the fields, and lists show
    # thousands of rows. The text is made of names of fields and columns in this repository, of nothing that
    # anybody sends.
    leading = list(takewhile(lambda entry: entry.test is None, made))
    display = ", ".join(f"{entry.key!r}: {entry.value}" for entry in leading)
    lines = [f"out = {{{display}}}", *(entry.line for entry in made[len(leading) :]), "return out"]
    text = "\n ".join(["def show(cx, row):", *lines])
    exec(compile(text, f"<presenter of {shape.__name__}>", "exec"), known)
    show: Presenter[C, R] = known.pop("show")
    show.__doc__ = f"Return a row as {shape.__name__}."
    return shows(shape, parts=Parts({entry.key: entry.alone for entry in made}, known))(show)


class _ShownField(NamedTuple):
    """The field of an answer: the expressions of its value and of the `test`, None where it is always there.

    The test gives `value` its value.
    """

    key: str
    value: str
    test: str | None

    @property
    def line(self) -> str:
        """Return the statement that puts it into `out`, where it is there."""
        if self.test is None:
            return f"out[{self.key!r}] = {self.value}"
        return f"if {self.test}: out[{self.key!r}] = value"

    @property
    def alone(self) -> str:
        """Return the expression of its value, None where it is left out."""
        return self.value if self.test is None else f"(value if {self.test} else None)"


def _entry(
    name: str, field: FieldInfo, row: str, computed: Mapping[str, object], sure: Collection[str]
) -> _ShownField:
    key, value, given = field.alias or name, _value(name, field, row, computed), computed.get(name)
    if name in sure:
        return _ShownField(key, value, None)
    test = f"(value := {value})"
    if given is not None or not _may_be_empty(field):
        test += " is not None"
    if isinstance(given, When):
        test = f"{row}.{given.column} and {test}"
    return _ShownField(key, value, test)


def _value(name: str, field: FieldInfo, row: str, computed: Collection[str]) -> str:
    """Return the expression of what a field shows."""
    if name in computed:
        return f"compute_{name}(cx, row)"
    if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1:
        return repr(get_args(field.annotation)[0])
    column = next((each.name for each in field.metadata if isinstance(each, Column)), name)
    return f"{row}.{column}"


def _may_be_empty(field: FieldInfo) -> bool:
    """Tell whether an empty value of this field says as much as none: a text or an object does."""
    kinds = get_args(field.annotation) if get_origin(field.annotation) in (Union, UnionType) else ()
    return not any(kind in (bool, int, float) or get_origin(kind) is list for kind in kinds)


class ShownRows(Sequence[dict[str, Any]]):
    """Rows as a presenter shows them, each when somebody first reads one of them.

    `place` is called with what a row is shown as.
    """

    __slots__ = ("_place", "_shown", "cx", "rows", "show")

    def __init__(
        self,
        cx: Any,
        show: Callable[[Any, Any], dict[str, Any]],
        rows: Sequence[Any],
        place: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self.cx, self.show, self.rows, self._place = cx, show, rows, place
        self._shown: list[dict[str, Any]] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._all())

    def _all(self) -> list[dict[str, Any]]:
        if self._shown is None:
            self._shown = [self.show(self.cx, row) for row in self.rows]
            if self._place is not None:
                for each in self._shown:
                    self._place(each)
        return self._shown


async def showing(result: Any, show: Callable[..., T], *arguments: Any) -> T:
    """Call what shows a result, apart from the event loop where the `shown_size` of the result is large."""
    size: int = getattr(result, "shown_size", 0)
    return show(*arguments) if size <= workers.LARGE else await workers.run(size, show, *arguments)
