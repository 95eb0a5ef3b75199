"""How a core waits in native code for its turn."""

from pim.core.translate.call import fetch_ahead
from pim.core.translate.native import Environment, Port
from pim.core.translate.stacks import switch_stack
from pim.core.translate.turns import HART_SHIFT, TurnWord, add_turn, stack_place, take_turn
from pim.core.turn import park
from pim.jit import inlined_kernel, kernel


@inlined_kernel
def is_behind(port: Port, environment: Environment, at: int) -> bool:
    """Tell whether a core's request at clock ``at`` comes after one that waits."""
    return bool((at << HART_SHIFT | port.core.hart_id) > environment.native.turns[TurnWord.NEXT])


@kernel
def wait_for_turn(port: Port, environment: Environment, at: int) -> bool:
    """Let others go on until it is a core's turn at a request at clock ``at``; return whether it is.

    Who is first then goes on where it waits; where that is not in native code, the loop over cores does. Without stacks
    of their own a core is parked, and has to leave native code: False. Updates ``port``, ``environment``.
    """
    core, native = port.core, environment.native
    if len(native.stacks) == 0:
        park(core, at)
        return False
    turns = native.turns
    add_turn(turns, at << HART_SHIFT | core.hart_id)
    turn = take_turn(turns)
    place = stack_place(turns, turn)
    to_at = turns.ctypes.data + (8 * place if turns[place] else 8 * TurnWord.MAIN)
    fetch_core_ahead(environment, turns[TurnWord.NEXT] & ((1 << HART_SHIFT) - 1))
    switch_stack(turns.ctypes.data + 8 * stack_place(turns, core.hart_id), to_at)
    return True


@inlined_kernel
def fetch_core_ahead(environment: Environment, hart_id: int) -> None:
    """Let the host fetch what a core needs to go on into its caches: all cores' state is larger than the nearest one.

    The lines that measurements found it to wait for: its stack, of its Port, and of its bank.
    """
    native, device = environment.native, environment.device
    stack_at = native.turns[stack_place(native.turns, hart_id)]
    for line in range(6):
        fetch_ahead(stack_at + 64 * line)
    port_at = native.kept.ctypes.data + native.kept.strides[0] * hart_id
    for line in range(4):
        fetch_ahead(port_at + 64 * line)
    if environment.settings.own_bank:
        fetch_ahead(device.banks.ctypes.data + device.banks.itemsize * hart_id)
        fetch_ahead(device.buses.ctypes.data + device.buses.itemsize * hart_id)
