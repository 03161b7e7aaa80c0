"""A server, and assay run against it as a user of its Python API runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import assay
from assay import Attempt, CaseResult, Report, Response
from yao_server import ALICE, Act, Agent, Options, Say, YaoServer


@define
class Yao:
    """One server and how it is asked."""

    server: YaoServer
    folder: Path
    environ: dict[str, str]
    sets: list[str] = field(factory=list[str])

    def report(
        self,
        *cases: Mapping[str, object],
        agent: str = "a",
        sets: tuple[str, ...] = (),
        environ: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> Report:
        """Run cases; by default one that says hi."""
        settings = {"retries": 0, "timeout": "30s", **settings}
        return assay.run(
            cases or ({"id": "T1", "input": "hi"},),
            agent=agent,
            cwd=self.folder,
            environ={**self.environ, **(environ or {})},
            sets=[f"transport.yao.server={self.server.url}", *self.sets, *sets],
            **settings,
        )

    def result(self, *acts: Act, agent: Agent | None = None, **how: Any) -> CaseResult:
        """Ask an agent that does this, and give what became of the one case."""
        asked = agent or Agent(id="a", script=acts or (Say(text="fine"),))
        self.server.add(asked)
        how.setdefault("agent", asked.id)
        (result,) = self.report(**how).cases
        return result

    def attempt(self, *acts: Act, **how: Any) -> Attempt:
        """Ask an agent, and give the one attempt."""
        (attempt,) = self.result(*acts, **how).attempts
        return attempt

    def response(self, *acts: Act, **how: Any) -> Response:
        """Ask an agent, which must answer."""
        attempt = self.attempt(*acts, **how)
        assert attempt.status == "passed", attempt.error
        (exchange,) = attempt.exchanges
        return exchange.response

    def error(self, *acts: Act, **how: Any) -> tuple[str, object]:
        """Ask an agent, which must fail, and give the error and what it had said."""
        attempt = self.attempt(*acts, **how)
        assert attempt.status == "error", attempt
        assert attempt.error
        return attempt.error, attempt.output


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def serve(tmp_path: Path, home: Path) -> Iterator[Any]:
    """Start a server of which something is decided otherwise."""
    started: list[YaoServer] = []

    def start(**options: Any) -> Yao:
        started.append(YaoServer(options=Options(**options)))
        started[-1].__enter__()
        environ = {"HOME": str(home), "ASSAY_YAO_TOKEN": ALICE.token}
        return Yao(started[-1], tmp_path, environ)

    yield start
    for server in started:
        server.__exit__(None, None, None)


@pytest.fixture
def yao(serve: Any) -> Yao:
    """A server as it is installed by default, but that it keeps traces."""
    made = serve()
    assert isinstance(made, Yao)
    return made
