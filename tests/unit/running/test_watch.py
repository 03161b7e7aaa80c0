"""What is under way, and who is to blame when it does not end."""

from __future__ import annotations

import asyncio
import sys
import threading
from traceback import extract_stack

import pytest

from assay.running.deadline import Deadline
from assay.running.watch import Stage, Watch


def whats(watch: Watch) -> list[str]:
    return [stage.what for stage in watch.stages()]


def test_stages_are_told_the_oldest_first_until_they_are_left() -> None:
    watch = Watch()
    with watch.stage("one", 5):
        two = watch.enter("two", 5)
        assert whats(watch) == ["one", "two"]
        watch.leave(two)
        with pytest.raises(ValueError, match="broken"), watch.stage("three", 5):
            raise ValueError("broken")
        assert whats(watch) == ["one"]
    assert whats(watch) == []


def test_a_stage_may_be_left_twice() -> None:
    watch = Watch()
    stage = watch.enter("one", 5)
    watch.leave(stage)
    watch.leave(stage)
    assert whats(watch) == []


def test_whatever_begins_or_ends_is_a_movement() -> None:
    watch = Watch()
    before = watch.moved_at
    stage = watch.enter("one", 5)
    began = watch.moved_at
    watch.leave(stage)
    assert before <= began == stage.since <= watch.moved_at


def test_a_stage_tells_how_long_it_has_taken() -> None:
    stage = Stage("case 'a', attempt 1", 2.5, "check 'regex'")
    told = stage.describe(stage.since + 61.4)
    assert told == "case 'a', attempt 1, check 'regex' (for 1m1s; it may take 2.5s)"
    assert stage.overdue(stage.since + 61.5) == 59.0


def test_a_deadline_is_a_limit_that_stands_still_in_pauses() -> None:
    async def main() -> None:
        async with Deadline(10) as deadline:
            stage = Stage("asking", deadline)
            now = asyncio.get_running_loop().time()
            assert stage.overdue(now + 12) == pytest.approx(2, abs=1)
            with deadline.paused():
                assert stage.overdue(now + 3600) == pytest.approx(-10, abs=1)

    asyncio.run(main())


def test_nobody_is_to_blame_within_limit_and_grace() -> None:
    watch = Watch()
    stage = watch.enter("one", 5)
    watch.enter("two", 60)
    assert watch.late(stage.since + 5 + 3, grace=3.001) is None
    assert watch.late(stage.since + 5 + 3.002, grace=3) is stage


def test_the_latest_of_all_is_to_blame() -> None:
    watch = Watch()
    watch.enter("one", 5)
    worst = watch.enter("two", 1)
    assert watch.late(worst.since + 60, grace=3) is worst


def test_what_blocks_the_loop_is_to_blame_for_those_that_wait_for_it() -> None:
    watch = Watch()
    attempt = watch.enter("case 'a'", 1)
    outer = watch.enter("writing", 600, blocks=True)
    now = attempt.since + 60
    assert watch.late(now, grace=3) is outer
    inner = watch.enter("telling", 600, blocks=True)
    assert watch.late(inner.since + 60, grace=3) is inner
    # It has only just begun: it is not why the attempt is late.
    assert watch.late(max(inner.since, now), grace=70) is None
    assert watch.blocking(inner.since + 1, longer_than=3) is None


def test_others_wait_for_the_end_once_a_thread_has_taken_over() -> None:
    watch = Watch()
    watch.take_over()
    other = threading.Thread(target=watch.enter, args=("another", 5), daemon=True)
    other.start()
    while other.is_alive() and not is_waiting(other):
        pass
    assert other.is_alive()
    with watch.stage("mine", 5):
        assert whats(watch) == ["mine"]


def is_waiting(thread: threading.Thread) -> bool:
    """Whether a thread waits for an event."""
    assert thread.ident is not None
    frame = sys._current_frames().get(thread.ident)
    return frame is not None and "wait" in [entry.name for entry in extract_stack(frame)][-2:]
