from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from attrs import field, frozen, validators
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ConfigError, RunError
from assay.secret import Secret
from assay.settings.assignment import parse_assignment
from assay.settings.files import SettingsFiles
from assay.settings.gather import Sources, variable
from assay.settings.plugin import Built, build, check_words, raw


@frozen(kw_only=True)
class Retry:
    times: int = 1


class Yao:
    name = "yao"

    @frozen(kw_only=True)
    class Settings:
        server: str = "http://127.0.0.1:5099"
        token: Secret | None = field(default=None, metadata={"env": ("ASSAY_YAO_TOKEN",)})
        route: Literal["chat", "experts"] = "chat"
        stream: bool = True
        seed: int | None = None
        temperature: float | None = None
        ca_file: Path | None = None
        headers: Mapping[str, str] = field(factory=dict[str, str])
        body: str | Mapping[str, object] = ""
        allow: Sequence[str] = ()
        max_file_size: int = field(default=20_000_000, metadata={"unit": "size"})
        pause: float = field(default=1.0, metadata={"unit": "duration"}, validator=validators.gt(0))
        identities: Mapping[str, Secret] = field(
            factory=dict[str, Secret], metadata={"variables": True}
        )
        retry: Retry = Retry()
        accept: str = field(default="cui", validator=validators.in_(["cui", "standard"]))
        in_: str = ""


class Bare:
    name = "bare"


def sources(
    tmp_path: Path,
    toml: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    sets: Sequence[str] = (),
) -> Sources:
    (tmp_path / "assay.toml").write_text(f"root = true\n{toml}", encoding="utf-8")
    return Sources(
        sets=[parse_assignment(text) for text in sets],
        environ=environ or {},
        files=SettingsFiles(tmp_path).above(tmp_path),
        cwd=tmp_path / "cwd",
    )


def yao(
    tmp_path: Path,
    toml: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    sets: Sequence[str] = (),
) -> Any:
    return build(sources(tmp_path, toml, environ=environ, sets=sets), "transport", "yao", Yao)


def refused(
    tmp_path: Path,
    toml: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    sets: Sequence[str] = (),
) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        yao(tmp_path, toml, environ=environ, sets=sets)
    return str(caught.value).splitlines()


def test_without_a_word_the_defaults_hold(tmp_path: Path) -> None:
    assert yao(tmp_path) == Built(settings=Yao.Settings())


def test_a_class_without_settings_is_given_none(tmp_path: Path) -> None:
    assert build(sources(tmp_path), "transport", "bare", Bare) == Built()
    with pytest.raises(ConfigError) as caught:
        build(sources(tmp_path, "[transport.bare]\nx = 1"), "transport", "bare", Bare)
    assert str(caught.value) == (
        "assay.toml [transport.bare] x: the transport 'bare' has no settings; leave it out"
    )


def test_every_type_is_read_from_a_file(tmp_path: Path) -> None:
    built = yao(
        tmp_path,
        """
        [transport.yao]
        server = "http://x"
        token = "$TOKEN"
        route = "experts"
        stream = false
        seed = 7
        temperature = 1
        ca_file = "ca.pem"
        headers = { "X-Key" = "v" }
        body = { question = ["$input", 1] }
        allow = ["a", "b"]
        max_file_size = "512KB"
        pause = "1m30s"
        identities = { "admin@ops" = "OPS", guest = "$GUEST" }
        retry = { times = 3 }
        in = "x"
        """,
        environ={"TOKEN": "secret-of-yao", "OPS": "secret-of-ops", "GUEST": "secret-of-guest"},
    )
    assert built.settings == Yao.Settings(
        server="http://x",
        token=Secret("secret-of-yao"),
        route="experts",
        stream=False,
        seed=7,
        temperature=1,
        ca_file=tmp_path / "ca.pem",
        headers={"X-Key": "v"},
        body={"question": ["$input", 1]},
        allow=("a", "b"),
        max_file_size=512_000,
        pause=90.0,
        identities={"admin@ops": Secret("secret-of-ops"), "guest": Secret("secret-of-guest")},
        retry=Retry(times=3),
        in_="x",
    )
    assert built.warnings == ()
    assert [(secret.reveal(), secret.source) for secret in built.secrets] == [
        ("secret-of-yao", "$TOKEN"),
        ("secret-of-ops", "$OPS"),
        ("secret-of-guest", "$GUEST"),
    ]


def test_every_type_is_read_from_variables(tmp_path: Path) -> None:
    built = yao(
        tmp_path,
        environ={
            "ASSAY_TRANSPORT_YAO_SERVER": "12345",
            "ASSAY_TRANSPORT_YAO_TOKEN": "$not-a-reference",
            "ASSAY_TRANSPORT_YAO_ROUTE": "experts",
            "ASSAY_TRANSPORT_YAO_STREAM": "0",
            "ASSAY_TRANSPORT_YAO_SEED": "7",
            "ASSAY_TRANSPORT_YAO_TEMPERATURE": "0.5",
            "ASSAY_TRANSPORT_YAO_CA_FILE": "/etc/ca.pem",
            "ASSAY_TRANSPORT_YAO_HEADERS": '{ "X-Key" = "v" }',
            "ASSAY_TRANSPORT_YAO_BODY": '{"question": "$input"}',
            "ASSAY_TRANSPORT_YAO_ALLOW": '["a"]',
            "ASSAY_TRANSPORT_YAO_MAX_FILE_SIZE": "1MB",
            "ASSAY_TRANSPORT_YAO_PAUSE": "2s",
            "ASSAY_TRANSPORT_YAO_IDENTITIES": '{ "admin@ops" = "OPS" }',
            "ASSAY_TRANSPORT_YAO_RETRY": "{ times = 3 }",
            "ASSAY_TRANSPORT_YAO_IN": "x",
            "OPS": "secret-of-ops",
        },
    )
    assert built.settings == Yao.Settings(
        server="12345",
        token=Secret("$not-a-reference"),
        route="experts",
        stream=False,
        seed=7,
        temperature=0.5,
        ca_file=Path("/etc/ca.pem"),
        headers={"X-Key": "v"},
        body='{"question": "$input"}',
        allow=("a",),
        max_file_size=1_000_000,
        pause=2.0,
        identities={"admin@ops": Secret("secret-of-ops")},
        retry=Retry(times=3),
        in_="x",
    )
    assert built.warnings == ()


def test_every_type_is_read_from_set(tmp_path: Path) -> None:
    built = yao(
        tmp_path,
        environ={"TOKEN": "secret-of-yao", "OPS": "secret-of-ops"},
        sets=[
            "transport.yao.server=12345",
            "transport.yao.token=${TOKEN}",
            "transport.yao.route=experts",
            "transport.yao.stream=no",
            "transport.yao.seed=7",
            "transport.yao.temperature=0.5",
            "transport.yao.ca_file=ca.pem",
            "transport.yao.headers.X-Key=1",
            "transport.yao.body={ question = '$input' }",
            "transport.yao.allow=['a']",
            "transport.yao.max_file_size=1000",
            "transport.yao.pause=2s",
            'transport.yao.identities."admin@ops"=OPS',
            "transport.yao.retry.times=3",
            "transport.yao.in=true",
        ],
    )
    assert built.settings == Yao.Settings(
        server="12345",
        token=Secret("secret-of-yao"),
        route="experts",
        stream=False,
        seed=7,
        temperature=0.5,
        ca_file=tmp_path / "cwd" / "ca.pem",
        headers={"X-Key": "1"},
        body={"question": "$input"},
        allow=("a",),
        max_file_size=1000,
        pause=2.0,
        identities={"admin@ops": Secret("secret-of-ops")},
        retry=Retry(times=3),
        in_="true",
    )


def test_set_beats_variables_beat_the_nearest_file(tmp_path: Path) -> None:
    near = tmp_path / "app"
    near.mkdir()
    (near / "assay.toml").write_text("[transport.yao]\nserver = 'near'\n")
    (tmp_path / "assay.toml").write_text("root = true\n[transport.yao]\nserver = 'far'\nseed = 7\n")
    files = SettingsFiles(tmp_path).above(near)
    environ = {
        "ASSAY_TRANSPORT_YAO_SERVER": "variable",
        "ASSAY_TRANSPORT_YAO_TOKEN": "",
        "ASSAY_YAO_TOKEN": "short-name",
    }
    assigned = [parse_assignment(f"transport.yao.server={value}") for value in ("first", "last")]

    def built(sets: Sequence[Any], variables: Mapping[str, str]) -> Any:
        found = Sources(sets=sets, environ=variables, files=files, cwd=near)
        return build(found, "transport", "yao", Yao).settings

    assert built([], {}).server == "near"
    assert built([], {}).seed == 7
    assert built([], environ).server == "variable"
    assert built([], environ).token == Secret("short-name")
    assert built(assigned, environ).server == "last"


def test_the_long_variable_beats_the_short_name(tmp_path: Path) -> None:
    environ = {"ASSAY_TRANSPORT_YAO_TOKEN": "long", "ASSAY_YAO_TOKEN": "short"}
    assert yao(tmp_path, environ=environ).settings.token == Secret("long")


def test_a_key_within_a_table_is_set_without_losing_the_rest(tmp_path: Path) -> None:
    built = yao(
        tmp_path,
        "[transport.yao]\nheaders = { A = 'a', B = 'b' }\n",
        sets=["transport.yao.headers.B=2", "transport.yao.headers.C=c"],
    )
    assert built.settings.headers == {"A": "a", "B": "2", "C": "c"}


def test_variables_are_named_by_kind_word_and_key() -> None:
    assert variable("transport", "my-agent", "base_url") == "ASSAY_TRANSPORT_MY_AGENT_BASE_URL"


def test_every_fault_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    lines = refused(
        tmp_path,
        """
        [transport.yao]
        sever = "x"
        seed = "7"
        route = "chats"
        pause = "0s"
        allow = ["a", 1]
        headers = { A = 1 }
        retry = { time = 1 }
        token = "$NOT_SET"
        identities = { a = "ALSO_NOT_SET" }
        ca_file = 3
        accept = "all"
        """,
        environ={
            "ASSAY_TRANSPORT_YAO_STREAM": "maybe",
            "ASSAY_TRANSPORT_YAO_MAX_FILE_SIZE": "large",
            "NOT_SET": "",
        },
        sets=["transport.yao.temperature=hot", "transport.yao.servr=x"],
    )
    starts = [
        "--set transport.yao.servr: unknown key; ",
        "assay.toml [transport.yao] sever: unknown key; ",
        "assay.toml [transport.yao] token: the variable NOT_SET is empty; set it to the secret",
        "assay.toml [transport.yao] route: 'chats' is not one of 'chat', 'experts'",
        "ASSAY_TRANSPORT_YAO_STREAM: ",
        "assay.toml [transport.yao] seed: expected a whole number, got a string",
        "--set transport.yao.temperature: expected a number, got a string",
        "assay.toml [transport.yao] ca_file: expected a path, not the number 3",
        "assay.toml [transport.yao] headers",
        "assay.toml [transport.yao] allow[1]: expected a string, got a number",
        "ASSAY_TRANSPORT_YAO_MAX_FILE_SIZE: 'large' is not a size",
        "assay.toml [transport.yao] pause: ",
        "assay.toml [transport.yao] identities",
        "assay.toml [transport.yao] retry.time: unknown field; ",
        "assay.toml [transport.yao] accept: 'accept' must be in ['cui', 'standard'] (got 'all')",
    ]
    for line, start in zip(lines, starts, strict=True):
        assert line.startswith(start)
    assert "Attribute(" not in "".join(lines)
    assert "'server'" in lines[0]
    assert "'server'" in lines[1]
    assert lines[8].endswith(".A: expected a string, got a number")
    assert lines[12].endswith(".a: the variable ALSO_NOT_SET is not set; set it to the secret")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("pause", "30", 'expected a duration in quotes, such as "30s", not the number 30'),
        ("max_file_size", "true", 'expected a size in quotes, such as "20MB", not true'),
        ("max_file_size", "-1", 'expected a size in quotes, such as "20MB", not the number -1'),
        ("stream", "'true'", "expected true or false, not the text 'true'"),
        ("seed", "true", "expected a whole number, got true"),
        ("allow", "'abc'", "expected a list, got a string"),
        ("headers", "[1]", "expected a table, not a list"),
        ("token", "5", 'expected text in quotes, such as "$NAME" for the variable NAME'),
    ],
)
def test_wrong_types_in_a_file_are_refused(
    tmp_path: Path, key: str, value: str, message: str
) -> None:
    lines = refused(tmp_path, f"[transport.yao]\n{key} = {value}\n")
    assert lines == [f"assay.toml [transport.yao] {key}: {message}"]


def test_a_secret_in_a_file_is_a_warning(tmp_path: Path) -> None:
    built = yao(
        tmp_path,
        "[transport.yao]\ntoken = 'written-down'\nidentities = { a = '$A' }\n",
        environ={"A": "secret-of-a"},
    )
    assert built.settings.token == Secret("written-down")
    assert built.warnings == (
        "assay.toml [transport.yao] token: the file holds a secret; put it into a variable and "
        'write "$NAME"',
    )
    assert len(built.secrets) == 2


def test_a_secret_on_the_command_line_is_no_warning(tmp_path: Path) -> None:
    built = yao(tmp_path, sets=["transport.yao.token=12345678"])
    assert built.settings.token == Secret("12345678")
    assert built.warnings == ()


def test_a_mistyped_variable_is_a_warning(tmp_path: Path) -> None:
    environ = {"ASSAY_TRANSPORT_YAO_SEVER": "x", "ASSAY_TRANSPORT_YAO_CLOUD_URL": "x"}
    assert yao(tmp_path, environ=environ).warnings == (
        "ASSAY_TRANSPORT_YAO_SEVER: unknown variable; did you mean ASSAY_TRANSPORT_YAO_SERVER?",
    )


class Strict:
    name = "strict"

    @frozen(kw_only=True)
    class Settings:
        url: str
        low: int = 0
        high: int = field(default=9)

        @high.validator
        def _check(self, _: object, value: int) -> None:
            if value < self.low:
                raise ValueError("high must not be below low")

        def __attrs_post_init__(self) -> None:
            if self.low == 5:
                raise ValueError("low cannot be 5")


def test_what_is_needed_is_named_when_it_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        build(sources(tmp_path), "executor", "strict", Strict)
    assert str(caught.value) == (
        "[executor.strict] url: it is needed; write it into assay.toml or set "
        "ASSAY_EXECUTOR_STRICT_URL"
    )


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("low = 7\nhigh = 6", "[executor.strict]: high must not be below low"),
        ("low = 5", "[executor.strict]: low cannot be 5"),
    ],
)
def test_what_the_class_itself_refuses_is_told(tmp_path: Path, toml: str, message: str) -> None:
    found = sources(tmp_path, f"[executor.strict]\nurl = 'x'\n{toml}\n")
    with pytest.raises(ConfigError) as caught:
        build(found, "executor", "strict", Strict)
    assert str(caught.value) == message


class Broken:
    @frozen
    class Settings:
        value: "Nowhere" = None  # type: ignore[name-defined]  # noqa: F821, UP037 - the point


def test_settings_that_cannot_be_used_name_the_plugin(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"^transport\.broken: its Settings cannot be used: name"):
        build(sources(tmp_path), "transport", "broken", Broken)


def test_hooks_are_given_plain_mappings(tmp_path: Path) -> None:
    found = sources(
        tmp_path,
        "[wrap.record]\nfile = 'a'\nkeep = true\n",
        environ={"ASSAY_WRAP_RECORD_FILE": "ignored"},
        sets=["wrap.record.file=b", "wrap.record.only.tag=x", "wrap.record.limit=3", "wrap.y.z=1"],
    )
    assert raw(found, "wrap", "record") == {
        "file": "b",
        "keep": True,
        "only": {"tag": "x"},
        "limit": 3,
    }
    assert raw(found, "select", "record") == {}


def test_settings_for_plugins_that_do_not_exist(tmp_path: Path) -> None:
    known = {"transport": ["yao", "echo"], "reporter": ["html"]}
    found = sources(
        tmp_path,
        "[transport.yoa]\n[transport.echo]\n[wrap.unheard]\n",
        sets=["reporter.html.x=1"],
    )
    (warning,) = check_words(found, known)
    assert warning.startswith("assay.toml [transport.yoa]: no transport 'yoa' is installed; ")
    assert "'yao'" in warning
    with pytest.raises(ConfigError, match=r"^--set reporter.htlm.x: no reporter 'htlm'; .*html"):
        check_words(sources(tmp_path, sets=["reporter.htlm.x=1"]), known)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_reaches_a_text_field_as_it_is(text: str) -> None:
    item = parse_assignment(f"transport.yao.server={text}")
    found = Sources(sets=[item], environ={}, files=(), cwd=Path("/"))
    server = build(found, "transport", "yao", Yao).settings.server
    # Only a value that TOML calls a text loses its quotes.
    assert server == (item.value if isinstance(item.value, str) else text)
