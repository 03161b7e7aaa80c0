"""``python -m yao_server``: the stand-in as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import runpy
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from yao_server.accounts import Account
from yao_server.agents import Agent
from yao_server.demo import ACCOUNTS, AGENTS
from yao_server.record import Seen
from yao_server.server import YaoServer
from yao_server.world import Options


def main() -> None:
    """Serve until a signal comes. The first line on standard output is the address."""
    parser = argparse.ArgumentParser(prog="yao_server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=5099, help="0 takes a free one")
    parser.add_argument("--base", default="/v1", help="base path of the OpenAPI")
    parser.add_argument("--no-traces", action="store_true", help="keep none")
    parser.add_argument("--no-well-known", action="store_true", help="have no discovery document")
    parser.add_argument("--agents", type=Path, help="a Python file with AGENTS, perhaps ACCOUNTS")
    parser.add_argument("--record", type=Path, help="write each request to it as a JSON line")
    options = parser.parse_args()
    agents, accounts = _scripted(options.agents)
    with contextlib.ExitStack() as stack:
        record = stack.enter_context(options.record.open("w")) if options.record else None

        def told(seen: Seen) -> None:
            if record is not None:
                print(json.dumps(seen.row()), file=record, flush=True)

        server = YaoServer(
            *agents,
            accounts=accounts,
            options=Options(
                base=options.base,
                traces=not options.no_traces,
                well_known=not options.no_well_known,
            ),
            host=options.host,
            port=options.port,
            told=told,
        )
        asyncio.run(_serve(server))


async def _serve(server: YaoServer) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, server.stop)
    await server.serve(lambda: print(server.url, flush=True))


def _scripted(file: Path | None) -> tuple[Iterable[Agent], Iterable[Account]]:
    if file is None:
        return AGENTS, ACCOUNTS
    names = runpy.run_path(str(file))
    if "AGENTS" not in names:
        sys.exit(f"{file}: it defines no AGENTS")
    agents = cast("Iterable[Agent]", names["AGENTS"])
    return agents, cast("Iterable[Account]", names.get("ACCOUNTS", ACCOUNTS))


if __name__ == "__main__":
    main()
