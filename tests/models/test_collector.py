"""The collector is paused within the block only, and stays off where it was off."""

import gc

import pytest

from models.collector import collector_paused


def test_the_collector_is_paused_and_goes_on_whatever_happens() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled(), "the inner block leaves it to the outer one"
    assert gc.isenabled()
    with pytest.raises(ValueError, match="wrong"), collector_paused():
        raise ValueError("wrong")
    assert gc.isenabled()
