"""All that is tried."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from functools import partial

from accidents import Accidents, can_compile
from attrs import frozen
from plugins_that_raise import HOOKS, PAGE_METHODS, STREAM_METHODS, PluginsThatRaise
from storage import Storage, can_mount
from subjects import Server
from sudden_ends import SuddenEnds
from things_that_hang import PLACES, WAYS, ThingsThatHang
from trial import Fault


@frozen
class Planned:
    """A fault that is to be tried."""

    name: str
    fault: Fault
    count: int = 1
    is_idle: bool = False
    """Whether its trials wait rather than work: many can be made at a time."""
    about: str = ""
    """Which of the faults of that name it is."""


def faults(given: Namespace, server: Server) -> list[Planned]:
    """Plan what is tried.

    Args:
        given: ``count``: how often what happens at random moments; ``slow``: whether what takes a
            minute or more is tried, too.
        server: Of the agents that are asked over HTTP.
    """
    few = max(1, given.count // 10)
    planned = [
        *_sudden(SuddenEnds(server), given.count),
        *_storage(Storage(server), few),
        *_raising(PluginsThatRaise(server)),
        *_hanging(ThingsThatHang(server)),
        *_accidents(Accidents(server)),
    ]
    return [*planned, *_slow(ThingsThatHang(server))] if given.slow else planned


def left_out(given: Namespace) -> Iterator[str]:
    """Say what is not tried, and why."""
    if not can_mount():
        yield "a full disk that is a file system: this process may not mount one"
    if not can_compile():
        yield "a clock that jumps: there is no C compiler (cc)"
    if not given.slow:
        yield "what takes a minute or more: --slow"


def _sudden(ends: SuddenEnds, count: int) -> Iterator[Planned]:
    yield Planned("SIGKILL", ends.kill, count)
    yield Planned("SIGTERM", ends.terminate, count)
    yield Planned("Ctrl-C", ends.interrupt, count)
    yield Planned("Ctrl-C, twice", ends.interrupt_twice, count)


def _storage(storage: Storage, count: int) -> Iterator[Planned]:
    if can_mount():
        yield Planned("disk full (tmpfs)", storage.full_disk, count)
        yield Planned("disk full for a page (tmpfs)", storage.full_disk_for_a_page, count)
    yield Planned("file too large (RLIMIT_FSIZE)", storage.file_too_large, count)
    yield Planned("report folder removed", storage.folder_removed, count)
    yield Planned("report folder removed, a file in its place", storage.folder_lost, count)


def _raising(plugins: PluginsThatRaise) -> Iterator[Planned]:
    for method in STREAM_METHODS:
        fault = partial(plugins.stream, method)
        yield Planned("stream reporter raises, in each method", fault, about=method)
    for method in PAGE_METHODS:
        fault = partial(plugins.page, method)
        yield Planned("page reporter raises, in each method", fault, about=method)
    for hook in HOOKS:
        fault = partial(plugins.hook, hook)
        yield Planned("select, wrap or describe_folder raises", fault, about=hook)


def _hanging(things: ThingsThatHang) -> Iterator[Planned]:
    for where in PLACES:
        for way in WAYS:
            name = f"transport hangs in {where}, Ctrl-C"
            fault = partial(things.transport_interrupted, where, way)
            yield Planned(name, fault, is_idle=True, about=way)
    for where in ("send", "close"):
        for way in WAYS:
            fault = partial(things.transport, where, way)
            yield Planned(f"transport hangs in {where}", fault, is_idle=True, about=way)
    alone: dict[str, Fault] = {
        "async agent ignores cancellation": things.agent_ignores_cancellation,
        "agent holds the interpreter": things.agent_holds_the_interpreter,
        "agent leaves a thread": things.agent_leaves_a_thread,
        "executor says nothing, Ctrl-C": things.executor_interrupted,
        "page reporter hangs, Ctrl-C": things.page_interrupted,
        "standard input stays open, Ctrl-C": things.standard_input_stays_open,
    }
    for name, each in alone.items():
        yield Planned(name, each, is_idle=True)
    for method in ("attempt", "result"):
        fault = partial(things.reporter, method)
        yield Planned("stream reporter hangs", fault, is_idle=True, about=method)


def _accidents(accidents: Accidents) -> Iterator[Planned]:
    yield Planned("worker of a script killed", accidents.worker_killed)
    yield Planned("stopped by Ctrl-Z for a while", accidents.stopped_for_a_while, is_idle=True)
    if can_compile():
        for days in (1, -1):
            fault = partial(accidents.clock_jumps, days)
            yield Planned("wall clock jumps by a day", fault, about=str(days))


def _slow(things: ThingsThatHang) -> Iterator[Planned]:
    for where in ("open", "info"):
        for way in WAYS:
            fault = partial(things.transport, where, way)
            yield Planned(f"transport hangs in {where}", fault, is_idle=True, about=way)
    for method in ("start", "finish", "written", "close"):
        fault = partial(things.reporter, method)
        yield Planned("stream reporter hangs", fault, is_idle=True, about=method)
    yield Planned("reader of standard output stops", things.reader_of_results_stops, is_idle=True)
    yield Planned("reader of standard error stops", things.reader_of_errors_stops, is_idle=True)
    yield Planned("executor says nothing", things.executor, is_idle=True)
