"""Named tuples in memory, for kernels that native code calls: it passes addresses, and they read what they need."""

from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model
from numba.np.arrayobj import make_array, populate_array

from pim.jit import source_digest

KEPT_WORDS = 1024
"""Room for a named tuple that is kept in memory: a word for each integer, few for each array."""


_INT64 = ir.IntType(64)
_NAMED = (types.NamedTuple, types.NamedUniTuple)


class Kept(types.Type):  # type: ignore[misc]
    """A named tuple in memory: kernels load a field where they use it, and pass all of it as one address.

    Its name says how it lies there: kernels of other files, which don't follow this one, are cached by it.
    """

    def __init__(self, content: Any) -> None:
        super().__init__(f"Kept({content}, {source_digest(Path(__file__))})")
        self.content = content

    def field(self, name: str) -> Any:
        """Return the type that a kernel gets for a field."""
        kind = self.content.types[self.content.fields.index(name)]
        return Kept(kind) if isinstance(kind, _NAMED) else kind


@register_model(Kept)
class _KeptModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Kept) -> None:
        super().__init__(manager, kind, _INT64)


@infer_getattr
class _KeptFields(AttributeTemplate):  # type: ignore[misc]
    key = Kept

    def generic_resolve(self, kind: Kept, name: str) -> Any:
        return kind.field(name)


@lower_getattr_generic(Kept)  # type: ignore[untyped-decorator]
def _load_field(context: Any, builder: Any, kind: Kept, address: Any, name: str) -> Any:
    place = builder.inttoptr(address, layout_of_kept(context, kind.content).as_pointer())
    place = cgutils.gep_inbounds(builder, place, 0, kind.content.fields.index(name))
    found = kind.field(name)
    if isinstance(found, Kept):
        return builder.ptrtoint(place, _INT64)
    if _is_plain(found):
        return _load_array(context, builder, found, place)
    return builder.load(place) if isinstance(found, types.Record) else context.unpack_value(builder, found, place)


def _is_plain(kind: Any) -> bool:
    """Tell whether a value is an array without gaps: its address and shape say all."""
    return isinstance(kind, types.Array) and kind.layout == "C"


def _load_array(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    array = make_array(kind)(context, builder)
    shape = [builder.load(cgutils.gep_inbounds(builder, place, 0, 1, n)) for n in range(kind.ndim)]
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [context.get_constant(types.intp, item)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, builder.load(cgutils.gep_inbounds(builder, place, 0, 0)), shape, strides, item, None)
    return array._getvalue()


def layout_of_kept(context: Any, kind: Any) -> Any:
    """Return the LLVM type of what is kept of a value: of a record its address, of a named tuple all its fields.

    What is read at every request is to lie in few lines of the host's caches.
    """
    if isinstance(kind, _NAMED):
        return ir.LiteralStructType([layout_of_kept(context, part) for part in kind.types])
    if _is_plain(kind):
        address = context.get_data_type(kind.dtype).as_pointer()
        return ir.LiteralStructType([address, ir.ArrayType(_INT64, kind.ndim)])
    return context.get_value_type(kind) if isinstance(kind, types.Record) else context.get_data_type(kind)


def keep(context: Any, builder: Any, kind: Any, value: Any, place: Any) -> None:
    """Write what is kept of a value to where a pointer to its `layout_of_kept` says."""
    if isinstance(kind, _NAMED):
        for n, part in enumerate(kind.types):
            keep(context, builder, part, builder.extract_value(value, n), cgutils.gep_inbounds(builder, place, 0, n))
    elif isinstance(kind, types.Record):
        builder.store(value, place)
    elif _is_plain(kind):
        array = make_array(kind)(context, builder, value)
        builder.store(array.data, cgutils.gep_inbounds(builder, place, 0, 0))
        builder.store(array.shape, cgutils.gep_inbounds(builder, place, 0, 1))
    else:
        context.pack_value(builder, kind, value, place)
