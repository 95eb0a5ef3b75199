"""What docs/rtl.md shows of the sources: tree of modules, ports of the top. `python -m rtl.hierarchy` writes both."""

import re
from collections.abc import Callable
from pathlib import Path

from pim.documents import fill

SOURCES = Path(__file__).parent / "src"
DOCUMENT = Path(__file__).parents[1] / "docs" / "rtl.md"


def instances(module: str) -> list[tuple[str, str]]:
    """Return the instances in a module in the order of its source: name and module."""
    text = re.sub(r"//.*", "", (SOURCES / f"{module}.sv").read_text())
    text = text[text.index(");") :]  # after the ports
    found = re.findall(r"^\s*(pim_\w+)\s+(?:#\(.*?\)\s*)?(u_\w+)\s*\(", text, re.MULTILINE | re.DOTALL)
    return [(name, kind) for kind, name in found]


def tops() -> list[str]:
    """Return the modules that no other has."""
    modules = [path.stem for path in sorted(SOURCES.glob("*.sv")) if not path.stem.endswith("_pkg")]
    inside = {kind for module in modules for _, kind in instances(module)}
    return [module for module in modules if module not in inside]


def tree() -> str:
    """Return one line per module, those in it below and further in; what it is from the first line of its source."""
    lines: list[tuple[str, str]] = []

    def add(module: str, depth: int) -> None:
        lines.append((f"{'  ' * depth}{module}", _purpose(module)))
        for kind in dict.fromkeys(kind for _, kind in instances(module)):
            add(kind, depth + 1)

    for module in tops():
        add(module, 0)
    width = max(len(name) for name, _ in lines)
    return "\n".join(["```", *(f"{name:{width}}  {purpose}".rstrip() for name, purpose in lines), "```"])


def ports(module: str = "pim_chip") -> str:
    """Return the ports of a module as a table, in the order of its source."""
    text = (SOURCES / f"{module}.sv").read_text()
    body = text[text.index("\n) (") : text.index("\n);")].splitlines()[2:]
    rows, group = ["| group | port | width | what |", "|---|---|---|---|"], "clock and reset"
    for line in body:
        port = re.match(r"\s*(input|output)\s+logic\s*((?:\[[^\]]*\])*)\s*(\w+),?\s*(?://\s*(.*))?$", line)
        if port:
            width = port[2].replace("][", "] [") or "1"
            rows.append(f"| {group} | `{port[3]}` | {width if width == '1' else f'`{width}`'} | {port[4] or ''} |")
            group = ""
        elif line.strip().startswith("//"):
            group = line.strip().removeprefix("//").strip()
    return "\n".join(rows)


PARTS: dict[str, Callable[[], str]] = {"hierarchy": tree, "ports": ports}


def _purpose(module: str) -> str:
    """Return the first clause of the comment at the head of a module."""
    head = (SOURCES / f"{module}.sv").read_text().split("\n\n")[0]
    comment = " ".join(re.findall(r"^// ?(.*)", head, re.MULTILINE))
    return re.split(r"[:;.](?: |$)|, (?=and|which|with)", comment, maxsplit=1)[0]


if __name__ == "__main__":
    fill(DOCUMENT, PARTS)
