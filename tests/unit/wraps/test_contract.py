from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from assay import Environment, Request, Response, WrapContext, hookimpl
from assay.testing import check_wrap
from assay_plugins.wraps import record, replay

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from assay import AgentInfo, Transport

FILE = {"file": "run.rec"}


def test_record_keeps_the_contract(tmp_path: Path) -> None:
    check_wrap(record, settings=FILE, context=WrapContext(cwd=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["run.rec"]


@pytest.mark.parametrize("missing", ["error", "ask"])
def test_replay_keeps_the_contract(tmp_path: Path, missing: str) -> None:
    check_wrap(record, settings=FILE, context=WrapContext(cwd=tmp_path))
    check_wrap(replay, settings={**FILE, "missing": missing}, context=WrapContext(cwd=tmp_path))


def test_what_the_record_lacks_is_asked_by_the_contract(tmp_path: Path) -> None:
    (tmp_path / "run.rec").write_text('{"type": "record", "format": 1}\n')
    check_wrap(replay, settings={**FILE, "missing": "ask"}, context=WrapContext(cwd=tmp_path))


def test_both_stand_aside_without_settings(tmp_path: Path) -> None:
    for plugin in (record, replay):
        check_wrap(plugin, context=WrapContext(cwd=tmp_path))
    assert list(tmp_path.iterdir()) == []


class Around:
    """A wrap that does what it should; each test takes something away."""

    def __init__(self, inner: Transport) -> None:
        self.inner: Any = inner

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.inner.__aexit__(kind, error, trace)

    async def info(self) -> AgentInfo | None:
        info: AgentInfo | None = await self.inner.info()
        return info

    def identify(self, environment: Environment) -> Environment:
        found: Environment = self.inner.identify(environment)
        return found

    async def send(self, request: Request) -> Response:
        response: Response = await self.inner.send(request)
        return response


class Forgetful(Around):
    async def __aexit__(self, *_: object) -> None:
        """Close nothing."""


class Nameless(Around):
    identify: Any = None


class Mute(Around):
    async def send(self, request: Request) -> Response:
        return Response(text="always the same")


class Swallowing(Around):
    async def __aexit__(self, *_: Any) -> Any:
        await self.inner.__aexit__(*_)
        return True


class Gruff(Around):
    async def send(self, request: Request) -> Response:
        try:
            return await super().send(request)
        except Exception as error:
            raise ValueError("anything") from error


def plugin(cls: type[Around]) -> object:
    class Plugin:
        @hookimpl
        def assay_wrap_transport(
            self, transport: Transport, settings: Mapping[str, Any]
        ) -> Transport:
            return cls(transport)

    return Plugin()


def test_a_wrap_that_does_all_of_it_keeps_the_contract() -> None:
    check_wrap(plugin(Around))


@pytest.mark.parametrize(
    ("cls", "rule"),
    [
        (Forgetful, "opens the transport 1 times, and closes it 0 times"),
        (Nameless, "does not hand on identify"),
        (Mute, "for 'hello' it gives"),
        (Swallowing, "swallows the error"),
        (Gruff, "it raises ValueError"),
    ],
)
def test_a_broken_rule_is_told(cls: type[Around], rule: str) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_wrap(plugin(cls))
