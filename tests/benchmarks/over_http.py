"""Over real HTTP: assay beside bare scripts that ask the same and check the same.

A server in a process of its own answers all of them; how many requests it can answer is printed
first. The programs run in turn, so that what else the machine does meets all alike.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from attrs import frozen
from echo import write_cases
from measure import ASSAY, Figures, Sample, interleaved, judged, measure

HERE = Path(__file__).parent
CASES = 1_000
LATENCY = 0.05
EVENTS = 50
APART = 0.001
"""Seconds between two events, where each wakes the client up by itself."""
ROUNDS = 3
WALL_AIMS = {16: 1.15, 64: 1.6}
CPU_AIMS = {"whole": 1.8, "stream": 3.0, "yao": 3.0}
"""Milliseconds per case."""
FAST_CASES = 2_000
FAST_RATE = 500
"""Cases per second at least, when the server answers at once."""
NAMES = {
    "whole": f"one piece, {1000 * LATENCY:.0f} ms",
    "stream": f"stream of {EVENTS} events, {1000 * LATENCY:.0f} ms",
    "yao": f"turn of Yao, {EVENTS} events, {1000 * LATENCY:.0f} ms",
}


@frozen
class Files:
    """Case files by the number of their cases, in the folder where all runs."""

    folder: Path
    by_size: Mapping[int, Path]


def run(folder: Path) -> None:
    """Print rates of the server, wall times as ratios, CPU per case, and cases per second."""
    sizes = (1, CASES, FAST_CASES)
    files = Files(folder, {size: write_cases(folder / f"{size}.jsonl", size) for size in sizes})
    with server(0.0) as url:
        prove(url)
    with server(LATENCY) as url:
        for api in NAMES:
            compare(api, url, files)
    with server(0.0, apart=APART) as url:
        one_by_one(url, files)
    with server(0.0) as url, on_one_core():
        at_once(url, files)


def prove(url: str) -> None:
    """Print how many requests the server itself answers, the driver on the same machine."""
    path = "/v1/chat/completions"
    message = '"messages":[{"role":"user","content":"Question number 1: what is it?"}]'
    asked = {
        "one piece": (path, f'{{"model":"stub",{message}}}'),
        "stream": (path, f'{{"model":"stub","stream":true,{message}}}'),
        "turn of Yao": (f"{path}?assistant_id=stub", f"{{{message}}}"),
    }
    for name, (target, body) in asked.items():
        words = [sys.executable, str(HERE / "drive.py"), url, target, body, "64", "3"]
        rate = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        print(f"the server alone, {name:12} {int(rate):6d} requests/s")


def compare(api: str, url: str, files: Files) -> None:
    """Print the wall time of all programs as ratios to aiohttp, and the CPU of a case."""
    for in_flight, aim in WALL_AIMS.items():
        commands = programs(api, url, files, CASES, in_flight)
        figures = interleaved(
            {name: partial(in_folder, files, words) for name, words in commands.items()},
            rounds=ROUNDS,
        )
        print(f"\n{CASES} cases, {NAMES[api]}, {in_flight} in flight")
        bare = figures["aiohttp"].wall
        for name, figure in figures.items():
            ratio = figure.wall / bare
            aimed = judged(ratio, aim, "") if name == "assay" else f"{ratio:8.2f}"
            print(f"{name:8} {figure.wall:7.3f} s wall {figure.cpu:7.3f} s CPU   {aimed}")
    print_cpu(api, url, files, figures["assay"])


def one_by_one(url: str, files: Files) -> None:
    """Print the CPU of streams whose events come one by one, beside that of aiohttp."""
    commands = programs("stream", url, files, CASES, 16)
    figures = interleaved(
        {name: partial(in_folder, files, words) for name, words in commands.items()}, rounds=ROUNDS
    )
    print(f"\n{CASES} cases, stream of {EVENTS} events that come one by one, 16 in flight")
    for name, figure in figures.items():
        ratio = figure.cpu / figures["aiohttp"].cpu
        print(f"{name:8} {figure.wall:7.3f} s wall {figure.cpu:7.3f} s CPU   {ratio:8.2f} of CPU")
    print_cpu("stream", url, files, figures["assay"])


def print_cpu(api: str, url: str, files: Files, many: Figures) -> None:
    """Print the CPU of a case: that of a run without that of a run of one case."""
    one = interleaved({"one": lambda: assay(api, url, files, 1, 1)}, rounds=ROUNDS)["one"]
    each = 1000 * (many.cpu - one.cpu) / (CASES - 1)
    print(f"a run of one case  {1000 * one.cpu:8.0f} ms CPU")
    print(f"CPU of a case      {judged(each, CPU_AIMS[api], 'ms')}")


def at_once(url: str, files: Files) -> None:
    """Print cases per second where the server answers at once, on one core, without start-up."""
    figures = interleaved(
        {
            "many": lambda: assay("whole", url, files, FAST_CASES, 64),
            "one": lambda: assay("whole", url, files, 1, 1),
        },
        rounds=ROUNDS,
    )
    rate = (FAST_CASES - 1) / (figures["many"].wall - figures["one"].wall)
    verdict = "reached" if rate >= FAST_RATE else "MISSED"
    print(f"\n0 ms, one piece, 64 in flight, one core: {rate:.0f} cases/s", end="")
    print(f"  (aim: at least {FAST_RATE}, {verdict})")


def programs(
    api: str, url: str, files: Files, size: int, in_flight: int
) -> dict[str, Sequence[str]]:
    """Give the command lines of all that are compared."""
    cases = str(files.by_size[size])
    # One API shows how httpx compares, which takes most of the time.
    libraries = ("aiohttp", "httpx") if api == "whole" else ("aiohttp",)
    bare = {
        library: [
            *(sys.executable, str(HERE / "bare_client.py"), library, api, url, cases),
            *("out.jsonl", str(in_flight)),
        ]
        for library in libraries
    }
    return {**bare, "assay": words_of_assay(api, url, files, size, in_flight)}


def words_of_assay(api: str, url: str, files: Files, size: int, in_flight: int) -> list[str]:
    """Give the command line of assay."""
    agent = {
        "whole": ["openai:stub", f"transport.openai.base_url={url}/v1"],
        "stream": [
            *("openai:stub", f"transport.openai.base_url={url}/v1"),
            "transport.openai.stream=true",
        ],
        "yao": ["yao:stub", f"transport.yao.server={url}"],
    }[api]
    sets = [word for item in agent[1:] for word in ("--set", item)]
    words = [ASSAY, "test", "-i", str(files.by_size[size]), "-n", agent[0], *sets]
    return [*words, "-o", "out.jsonl", "--parallel", str(in_flight)]


def assay(api: str, url: str, files: Files, size: int, in_flight: int) -> Sample:
    """Run assay once."""
    return in_folder(files, words_of_assay(api, url, files, size, in_flight))


def in_folder(files: Files, words: Sequence[str]) -> Sample:
    """Run a command line once, beside the case files."""
    return measure(words, cwd=files.folder, environ=environment())


def environment() -> dict[str, str]:
    """Give variables that lead nowhere else."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.lower().endswith("_proxy") and not key.startswith(("OPENAI_", "ASSAY_"))
    }
    return {**kept, "ASSAY_YAO_TOKEN": "token.of.benchmarks"}


@contextmanager
def server(latency: float, apart: float = 0.0) -> Iterator[str]:
    """Serve in a process of its own, and give the address."""
    words = [sys.executable, str(HERE / "stub_server.py")]
    with subprocess.Popen(
        [*words, f"--latency={latency}", f"--events={EVENTS}", f"--apart={apart}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


@contextmanager
def on_one_core() -> Iterator[None]:
    """Let what is started meanwhile run on one core, where the system can do that."""
    if sys.platform != "linux":
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
