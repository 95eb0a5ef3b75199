"""Extension strings such as ``rv64imafdc_zicsr``."""

from pim.errors import ConfigError

SUPPORTED = ("i", "m", "a", "f", "d", "c", "zicsr", "zifencei")
_IMPLIED = {"d": ("f",), "f": ("zicsr",)}
_GENERAL = ("i", "m", "a", "f", "d", "zicsr", "zifencei")


def parse_extensions(text: str, xlen: int) -> frozenset[str]:
    """Return the extensions that ``text`` names, with those they imply (D has F, F has Zicsr).

    Parameters
    ----------
    text : str
        For example ``rv64imc`` or ``rv64gc``; the prefix may be left out. ``g`` is IMAFD + Zicsr + Zifencei.
    xlen : int
        Register width of the program, 32 or 64 bits; a prefix must agree with it.

    Raises
    ------
    ConfigError
        If an extension is unknown, the base ``i`` is missing, or the prefix has another width.
    """
    if xlen not in (32, 64):
        raise ConfigError(f"xlen: got {xlen}, allowed 32 or 64 bits")
    names = text.lower()
    if names.startswith("rv"):
        if names[2:4] != str(xlen):
            raise ConfigError(f"extensions {text!r}: rv{names[2:4]} does not fit a program of {xlen} bits")
        names = names[4:]
    letters, *longer = names.split("_")
    found: set[str] = set()
    todo = [*letters, *longer]
    while todo:
        name = todo.pop()
        if name == "g":
            todo.extend(_GENERAL)
        elif name not in SUPPORTED:
            raise ConfigError(f"extensions {text!r}: unknown {name!r}, allowed g and {', '.join(SUPPORTED)}")
        else:
            found.add(name)
            todo.extend(_IMPLIED.get(name, ()))
    if "i" not in found:
        raise ConfigError(f"extensions {text!r}: the base 'i' is missing")
    return frozenset(found)
