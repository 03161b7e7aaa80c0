"""Where lines stand: all of a key, in order, and no other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.places import Places

# Keys that meet on one shelf, and keys that do not.
KEYS = st.sampled_from([0, 1, 256, 512, 2**64 - 1, 2**64 - 256]) | st.integers(0, 2**64 - 1)


@given(st.lists(KEYS))
@settings(deadline=None)
def test_each_key_gives_its_lines(keys: list[int]) -> None:
    places = Places()
    for offset, key in enumerate(keys):
        places.add(key, offset)

    for key in {*keys, 7}:
        assert list(places.find(key)) == [at for at, each in enumerate(keys) if each == key]
    assert len(places) == len(keys)
    assert places.hashes() == len(set(keys))
