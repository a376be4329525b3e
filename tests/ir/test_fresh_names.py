"""Fresh names are the wanted ones with the least free numbers, however many there are already."""

from __future__ import annotations

from starplat.ir.fresh_names import FreshNames


class _Counted(set[str]):
    """Names that count how often they are looked through."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


def test_names_have_the_least_free_numbers() -> None:
    names = FreshNames({"dist", "dist_3"})
    assert [names.fresh("dist") for _ in range(3)] == ["dist_2", "dist_4", "dist_5"]
    assert names.fresh("dist_2") == "dist_2_2"
    assert names.fresh("rank") == "rank"


def test_a_name_that_is_only_asked_for_stays_free() -> None:
    names = FreshNames({"dist"})
    assert [names.free("dist"), names.free("dist"), names.fresh("dist")] == ["dist_2"] * 3


def test_the_work_for_a_name_does_not_grow_with_the_number_of_names_like_it() -> None:
    names = FreshNames()
    names.taken = asked = _Counted()
    assert [names.fresh("dist") for _ in range(1000)][-1] == "dist_1000"
    assert asked.asked <= 4000
