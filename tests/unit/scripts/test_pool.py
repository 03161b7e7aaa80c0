"""How many workers there are, and who gets which."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.unit.scripts.conftest import Bench

    from assay.scripts.pool import Pool

PID = "import os\ndef check(): return os.getpid()"


def test_calls_one_after_the_other_share_a_worker(bench: Bench) -> None:
    bench.write(PID)

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(bench.found(), []) for _ in range(20)]

    assert len(set(map(str, bench.run(work, limit=8)))) == 1


def test_calls_at_once_have_workers_of_their_own_up_to_the_limit(bench: Bench) -> None:
    # Each call answers only when three are under way, which takes three processes.
    bench.write("""
        import os

        def check(folder):
            open(os.path.join(folder, str(os.getpid())), "w").close()
            while len(os.listdir(folder)) < 3:
                pass
            return os.getpid()
    """)
    folder = bench.root / "meet"
    folder.mkdir()

    async def work(pool: Pool) -> list[object]:
        calls = [pool.call(bench.found(), [str(folder)]) for _ in range(60)]
        return await asyncio.gather(*calls)

    assert len(set(map(str, bench.run(work, limit=3)))) == 3


def test_an_idle_worker_of_another_root_makes_room(bench: Bench) -> None:
    names = [f"app{number}/checks.py" for number in range(6)]
    for name in names:
        bench.write(PID, name)

    async def work(pool: Pool) -> list[object]:
        rounds = [name for name in names for _ in range(2)]
        return [await pool.call(bench.found(name=name), []) for name in rounds]

    pids = bench.run(work, limit=2)
    assert pids[::2] == pids[1::2]
    assert len(set(map(str, pids))) == 6


def test_waiting_for_a_turn_is_told(bench: Bench) -> None:
    bench.write("def check(number): return number")
    waits: list[str] = []

    async def work(pool: Pool) -> list[object]:
        def call(number: int) -> asyncio.Future[object]:
            @contextmanager
            def waiting() -> Generator[None]:
                waits.append(f"{number} waits")
                yield
                waits.append(f"{number} goes on")

            return asyncio.ensure_future(pool.call(bench.found(), [number], waiting=waiting))

        return list(await asyncio.gather(call(0), call(1)))

    assert bench.run(work, limit=1) == [0, 1]
    assert waits == ["1 waits", "1 goes on"]


def test_a_call_that_is_cancelled_while_it_waits_leaves_its_turn_to_others(bench: Bench) -> None:
    bench.write("def check(number): return number")

    async def work(pool: Pool) -> list[object]:
        calls = [asyncio.ensure_future(pool.call(bench.found(), [number])) for number in range(9)]
        await asyncio.sleep(0)
        for call in calls[1::2]:
            call.cancel()
        return await asyncio.gather(*calls[::2])

    assert bench.run(work, limit=1) == [0, 2, 4, 6, 8]


def test_a_call_cancelled_at_any_moment_of_its_start_leaves_the_pool_whole(bench: Bench) -> None:
    bench.write(PID)

    async def work(pool: Pool) -> bool:
        for turns in range(40):
            call = asyncio.ensure_future(pool.call(bench.found(), []))
            for _ in range(turns):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.wait([call])
        return isinstance(await pool.call(bench.found(), []), int)

    assert bench.run(work, limit=1)
