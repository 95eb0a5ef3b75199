"""The source of a function in a form that changes only when its meaning does: the key of compiled kernels."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from pim.errors import LoadError

Scalar = int | float | bool | str | None


def normalised_source(function: Callable[..., Any], *, with_lines: bool = False) -> str:
    """Return ``function`` and all it refers to as text without comments, docstrings, annotations and layout.

    Global numbers stand by name and value, helper functions by their own normalised source. ``with_lines`` adds the
    file's name and the line numbers, which compiled code carries for messages and profiles.

    Raises
    ------
    LoadError
        The source is not in a file, or a global is of a kind whose content can't be known.
    """
    seen: dict[str, str] = {}
    _collect(function, seen, with_lines=with_lines)
    return "\n".join(f"{name} = {text}" for name, text in sorted(seen.items()))


def _collect(function: Callable[..., Any], seen: dict[str, str], *, with_lines: bool) -> None:
    name = f"{function.__module__}.{function.__qualname__}"
    if name in seen:
        return
    tree = _bare_tree(function)
    seen[name] = ast.unparse(tree)
    if with_lines:
        code = function.__code__
        lines = [getattr(node, "lineno", 0) + code.co_firstlineno for node in ast.walk(tree)]
        seen[f"{name}@"] = f"{Path(code.co_filename).name} {lines}"
    closure = inspect.getclosurevars(function)
    for used, value in {**closure.globals, **closure.nonlocals}.items():
        inner = getattr(value, "function", getattr(value, "py_func", value))
        if isinstance(value, Scalar):
            seen[f"{name}:{used}"] = repr(value)
        elif isinstance(inner, FunctionType):
            _collect(inner, seen, with_lines=with_lines)
        elif not isinstance(value, ModuleType):
            raise LoadError(
                f"kernel {function.__name__}: global {used} is a {type(value).__name__}; "
                "a kernel may refer to numbers, modules and functions"
            )


def _bare_tree(function: Callable[..., Any]) -> ast.Module:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError) as error:
        raise LoadError(f"kernel {function.__name__}: its source can't be read ({error})") from error
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise LoadError(f"kernel {function.__name__}: got a {type(node).__name__}, must be a 'def' function")
    node.decorator_list = []
    node.returns = None
    for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        argument.annotation = None
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:]
    return tree
