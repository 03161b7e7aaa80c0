"""The agents under test: each keeps a log of its own of what it has answered."""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from pathlib import Path

from attrs import define, field
from trial import Trial

from scripted_server import Asked, Script, ScriptedServer, Wait, whole

CASES = 30
PARALLEL = 4
KINDS = ("async", "thread", "script", "openai")

AGENT = """
    import asyncio, os, time

    LOG = os.open("answers.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def answered(request):
        os.write(LOG, f"{request.origin.case}\\n".encode())
        return f"answer to {request.text}"

    async def awaited(request):
        await asyncio.sleep(0.008 * (int(request.text) % 13))
        return answered(request)

    def called(request):
        time.sleep(0.008 * (int(request.text) % 13))
        return answered(request)
"""

CHECK = """
    def judge(output, input, expected):
        print("judged")
        return {"pass": output.endswith(input), "message": output}
"""


@define(eq=False)
class Server:
    """A model's server for all trials; each has its own address, and its own log."""

    _logs: dict[str, Counter[str]] = field(
        factory=lambda: defaultdict[str, Counter[str]](Counter), init=False
    )
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    server: ScriptedServer = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.server = ScriptedServer(self._answer)

    def _answer(self, asked: Asked) -> Script:
        if asked.method != "POST":
            yield whole({"object": "list", "data": []})
            return
        trial = asked.target.split("/")[1]
        number = asked.json["messages"][-1]["content"]
        message = {"role": "assistant", "content": f"answer to {number}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        answer = {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]}
        yield Wait(0.008 * (int(number) % 13))
        # Noted first: what was sent may be recorded before this thread goes on.
        with self._lock:
            self._logs[trial][f"case-{number}"] += 1
        yield whole(answer)

    def answered(self, trial: Trial) -> Counter[str]:
        """Count what was answered, by case."""
        with self._lock:
            return self._logs[trial.folder.name].copy()


@define(eq=False)
class Subject:
    """An agent, its cases, and how a run of them is begun."""

    kind: str
    runs: int
    server: Server
    trial: Trial

    def __attrs_post_init__(self) -> None:
        self.trial.write("agent.py", AGENT)
        self.trial.write("check.py", CHECK)
        script = {"type": "script", "script": "check.py:judge"}
        lines = [
            {
                "id": f"case-{number}",
                "input": str(number),
                # Every fifth fails.
                "assert": script
                if self.kind == "script" and number % 5
                else {"type": "contains", "value": str(number if number % 5 else "nothing")},
            }
            for number in range(CASES)
        ]
        self.trial.write("cases.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
        if self.kind == "openai":
            base = f"{self.server.server.url}/{self.trial.folder.name}/v1"
            self.trial.env.update(OPENAI_BASE_URL=base, OPENAI_API_KEY="none-needed")

    @property
    def flags(self) -> list[str]:
        """What a run is told: it ends with 1, as every fifth case fails."""
        return self.flags_for(self._agent)

    def flags_for(self, agent: str) -> list[str]:
        """What a run of the same cases with another agent is told."""
        counts = ["--parallel", str(PARALLEL), "--runs", str(self.runs)]
        return ["test", "-i", "cases.jsonl", "-n", agent, *counts]

    @property
    def _agent(self) -> str:
        return {
            "async": "python:agent.py:awaited",
            "thread": "python:agent.py:called",
            "script": "python:agent.py:awaited",
            "openai": "openai:m",
        }[self.kind]

    @property
    def lines(self) -> int:
        """How many lines a whole run has."""
        return 2 + CASES + (CASES * self.runs if self.runs > 1 else 0)

    def answered(self) -> Counter[str]:
        """Count what the agent has answered, by case."""
        if self.kind == "openai":
            return self.server.answered(self.trial)
        log: Path = self.trial.root / "answers.log"
        return Counter(log.read_text().split()) if log.exists() else Counter()
