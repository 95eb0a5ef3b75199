"""Values checked against a model of settings; every problem says where it is, what is wrong, got and allowed."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from pim.config.document import Document, KeyPath, dotted
from pim.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)

MAX_PROBLEMS = 5
"""Problems that one message lists."""


def checked(model: type[Model], values: Any, origin: str | Document) -> Model:
    """Return ``values`` as a ``model``; its first problems are in one ConfigError.

    Parameters
    ----------
    model : type of BaseModel
        What the values must be.
    values : mapping
        As read.
    origin : str or Document
        Where they come from; a document gives each problem its line.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [_problem(item, model) for item in error.errors(include_url=False)[:MAX_PROBLEMS]]
        n_more = error.error_count() - len(problems)
    document = origin if isinstance(origin, Document) else None
    places = [document.place(where) if document else str(origin) for where, _ in problems]
    texts = (filter(None, (place, dotted(where), text)) for place, (where, text) in zip(places, problems, strict=True))
    raise ConfigError("; ".join(map(": ".join, texts)) + (f"; and {n_more} more problems" if n_more else ""))


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """Return ``, did you mean 'x'?`` when an allowed word is near, else ``; allowed are`` and all of them."""
    words = list(allowed)
    near = get_close_matches(word, words, n=1)
    return f", did you mean {near[0]!r}?" if near else f"; allowed are {', '.join(words)}"


def _problem(item: Any, model: type[BaseModel]) -> tuple[KeyPath, str]:
    """Return key and text of one problem of a pydantic error."""
    where: KeyPath = item["loc"]
    message = item["msg"].removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        return where, f"unknown key{did_you_mean(str(where[-1]), _fields_at(model, where[:-1]))}"
    if not where or item["type"] == "missing" or (item["type"] == "value_error" and ", got " in message):
        return where, message
    got = repr(item["input"])
    return where, f"{message}, got {got if len(got) < 80 else got[:77] + '...'}"


def _fields_at(model: type[BaseModel], path: KeyPath) -> list[str]:
    """Return the field names of the model found under ``path``."""
    for part in path:
        field = model.model_fields.get(str(part))
        candidates = [field.annotation, *get_args(field.annotation)] if field else []
        nested = [item for item in candidates if isinstance(item, type) and issubclass(item, BaseModel)]
        if not nested:
            return []
        model = nested[0]
    return sorted(model.model_fields)
