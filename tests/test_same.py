"""What is said of the very same records is found once, also by threads, and forgotten in the end."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from starplat.same import remembered


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
