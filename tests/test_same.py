"""What is said of the very same records is found once, also by threads, and forgotten in the end."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from starplat.same import make_room, remembered


def test_the_latest_are_remembered_by_identity() -> None:
    asked: list[object] = []

    @remembered(2)
    def said(record: list[int]) -> int:
        asked.append(record)
        return len(record)

    one, other, third = [1], [1], [1, 2]
    assert [said(record) for record in (one, one, other, third, other, one)] == [1, 1, 1, 2, 1, 1]
    assert [id(record) for record in asked] == [id(record) for record in (one, other, third, one)]


def test_threads_remember_and_forget_beside_each_other() -> None:
    @remembered(2)
    def said(record: object) -> list[object]:
        return [record]

    def work(_: int) -> bool:
        records = [object() for _ in range(20_000)]
        return all(said(record)[0] is record for record in records)

    usual = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(4) as threads:
            assert all(threads.map(work, range(4)))
    finally:
        sys.setswitchinterval(usual)


def test_of_a_long_program_all_parts_are_remembered_from_one_pass_to_the_next() -> None:
    asked: list[int] = []

    @remembered()
    def number_of(part: tuple[int]) -> int:
        asked.append(part[0])
        return part[0]

    make_room(lines=5000)
    try:
        parts = [(number,) for number in range(30_000)]
        for _ in range(2):
            assert [number_of(part) for part in parts] == list(range(30_000))
        assert len(asked) == 30_000
        make_room(lines=10)
        number_of((-1,))
        number_of(parts[0])
        assert len(asked) == 30_002
    finally:
        make_room(lines=0)
