"""Every address map is a bijection, on every device."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pim.config import Geometry, device_names, device_settings
from pim.dram.address import MAP_NAMES, AddressMap, Place
from pim.errors import ConfigError

SMALL = Geometry(channels=2, ranks_per_channel=2, device_gbit=2, row_bytes=1024)


def geometry(name, channels=2, ranks=2):
    return Geometry(channels=channels, ranks_per_channel=ranks, **device_settings(name)["geometry"])


@given(name=st.sampled_from(MAP_NAMES), device=st.sampled_from(device_names()), data=st.data())
def test_address_of_a_place_is_the_address(name, device, data):
    address_map = AddressMap(
        name, geometry(device, data.draw(st.sampled_from([1, 2, 4])), data.draw(st.sampled_from([1, 4])))
    )
    address = data.draw(st.integers(0, address_map.n_bytes - 1))
    place = address_map.place(address)
    assert address_map.address(place) == address
    counts = address_map.geometry
    assert 0 <= place.channel < counts.channels
    assert 0 <= place.rank < counts.ranks_per_channel
    assert 0 <= place.group < counts.bank_groups
    assert 0 <= place.bank < counts.banks_per_group
    assert 0 <= place.row < counts.rows_per_bank
    assert 0 <= place.column < 1024 // 8
    assert 0 <= place.byte < 64


@pytest.mark.parametrize("name", MAP_NAMES)
def test_places_of_a_block_are_all_different(name):
    """2 MiB of consecutive bursts; with the inverse above, the map is one to one both ways."""
    address_map = AddressMap(name, SMALL)
    place = address_map.place(np.arange(0, 1 << 21, 64) + (1 << 30))
    assert len(np.unique(np.array(np.broadcast_arrays(*astuple(place))), axis=1).T) == 1 << 15


def test_the_default_order_is_that_of_two_simulators():
    """Byte address = (row | bank | bank group | column) << 6 with one rank and channel."""
    address_map = AddressMap("RoBaRaCoCh", geometry("ddr4-2400-8gb-x8", 1, 1))
    row, bank, group, column = 12345, 2, 3, 77
    assert address_map.place(((row << 2 | bank) << 2 | group) << 13 | column << 6 | 5) == Place(
        0, 0, group, bank, row, column, 5
    )


def test_neighbouring_bursts_go_to_the_groups_in_turn():
    address_map = AddressMap("RoRaBaCoBgCh", geometry("ddr4-2400-8gb-x8", 1, 2))
    assert address_map.place(np.arange(8) * 64).group.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_xor_spreads_a_stride_of_whole_rows_over_all_banks():
    plain, hashed = (AddressMap(name, geometry("ddr4-2400-8gb-x8", 1, 1)) for name in ("RoBaRaCoCh", "RoBaRaCoCh-xor"))
    stride = np.arange(16) * (16 * 128 * 64)

    def banks(place):
        return len(
            set(zip(np.broadcast_to(place.bank, 16).tolist(), np.broadcast_to(place.group, 16).tolist(), strict=True))
        )

    assert banks(plain.place(stride)) == 1
    assert banks(hashed.place(stride)) == 16


def test_unknown_maps_and_odd_geometries_are_refused():
    with pytest.raises(ConfigError, match="unknown map 'RoBaRaCoC', did you mean 'RoBaRaCoCh'"):
        AddressMap("RoBaRaCoC", SMALL)
    with pytest.raises(ConfigError, match="needs a power of two of channels, got 3"):
        AddressMap("RoBaRaCoCh", SMALL.model_copy(update={"channels": 3}))
