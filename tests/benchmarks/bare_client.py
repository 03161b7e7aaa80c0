"""What a bare script does: ask with a semaphore, check each answer, write a line for each.

``python bare_client.py LIBRARY API URL CASES OUT IN_FLIGHT``: the library is ``aiohttp`` or
``httpx``; the API ``whole``, ``stream`` or ``yao``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import IO, Any

Case = dict[str, Any]
Ask = Callable[[str], Awaitable[str]]


async def carry_out(ask: Ask, cases: str, out: IO[str], in_flight: int) -> None:
    """Ask all cases of a file, that many at a time."""
    turn = asyncio.Semaphore(in_flight)

    async def one(case: Case) -> None:
        async with turn:
            text = await ask(case["input"])
        passed = case["assert"]["value"] in text
        line = {"id": case["id"], "output": text, "status": "passed" if passed else "failed"}
        out.write(json.dumps(line) + "\n")
        assert passed, line

    with open(cases, encoding="utf-8") as file:  # noqa: ASYNC230, PTH123 - nothing runs yet
        read = [json.loads(line) for line in file]
    await asyncio.gather(*(one(case) for case in read))


def body_of(api: str, text: str) -> dict[str, object]:
    """Make the body of a request."""
    messages = [{"role": "user", "content": text}]
    if api == "yao":
        return {"messages": messages, "skip": {"history": True}}
    return {"model": "stub", "messages": messages, **({"stream": True} if api == "stream" else {})}


def address(api: str, url: str) -> str:
    """Give where to ask."""
    query = "?assistant_id=stub&accept=cui-web" if api == "yao" else ""
    return f"{url}/v1/chat/completions{query}"


def text_of(answer: Any) -> str:
    """Read an answer in one piece."""
    return str(answer["choices"][0]["message"]["content"])


async def text_of_lines(api: str, lines: AsyncIterator[str]) -> str:
    """Read an answer in events."""
    text: list[str] = []
    async for line in lines:
        data = line.strip().removeprefix("data: ")
        if not data or data == "[DONE]":
            continue
        event = json.loads(data)
        if api == "yao":
            text.append(event["props"].get("content", ""))
        else:
            text.append(event["choices"][0]["delta"].get("content", ""))
    return "".join(text)


async def with_aiohttp(api: str, url: str, cases: str, out: IO[str], in_flight: int) -> None:
    """Use aiohttp."""
    import aiohttp

    target = address(api, url)

    async def lines(response: aiohttp.ClientResponse) -> AsyncIterator[str]:
        async for line in response.content:
            yield line.decode()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(text: str) -> str:
            async with session.post(target, json=body_of(api, text)) as response:
                response.raise_for_status()
                if api == "whole":
                    return text_of(await response.json())
                return await text_of_lines(api, lines(response))

        await carry_out(ask, cases, out, in_flight)


async def with_httpx(api: str, url: str, cases: str, out: IO[str], in_flight: int) -> None:
    """Use httpx."""
    import httpx

    target = address(api, url)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def ask(text: str) -> str:
            body = body_of(api, text)
            async with client.stream("POST", target, json=body) as response:
                response.raise_for_status()
                if api == "whole":
                    return text_of(json.loads(await response.aread()))
                return await text_of_lines(api, response.aiter_lines())

        await carry_out(ask, cases, out, in_flight)


def main() -> None:
    """Read the command line and ask."""
    library, api, url, cases, out, in_flight = sys.argv[1:]
    use = {"aiohttp": with_aiohttp, "httpx": with_httpx}[library]
    with open(out, "w", encoding="utf-8") as file:  # noqa: PTH123 - as bare as can be
        asyncio.run(use(api, url, cases, file, int(in_flight)))


if __name__ == "__main__":
    main()
