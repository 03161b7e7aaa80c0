from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from assay import ConfigError, Secret
from assay.settings.files import SettingsFiles
from assay.settings.gather import Sources
from assay.settings.plugin import Built, build
from assay_plugins.transports.yao import Yao
from assay_plugins.transports.yao.settings import YaoSettings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".yao").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def built(project: Path, toml: str = "", **environ: str) -> Built:
    if toml:
        (project / "assay.toml").write_text(f"[transport.yao]\n{toml}\n", "utf-8")
    files = SettingsFiles(project).above(project)
    sources = Sources(sets=(), environ=environ, files=files, cwd=project)
    return build(sources, "transport", "yao", Yao)


def settings(project: Path, toml: str = "", **environ: str) -> YaoSettings:
    made: YaoSettings = built(project, toml, **environ).settings
    return made


def token(found: YaoSettings) -> str | None:
    return None if found.chosen is None else found.chosen.token.reveal()


def credentials(home: Path, **fields: object) -> None:
    text = json.dumps({"server": "http://127.0.0.1:5099", "access_token": "kept-token", **fields})
    (home / ".yao" / "credentials").write_bytes(base64.b64encode(text.encode()))


def test_defaults(home: Path, project: Path) -> None:
    found = settings(project)
    assert found.server == "http://127.0.0.1:5099"
    assert (found.accept, found.route, found.trace) == ("cui-web", "chat", "auto")
    assert found.max_file_size == 20_000_000
    assert found.chosen is None


def test_short_variables(home: Path, project: Path) -> None:
    found = settings(project, ASSAY_YAO_SERVER="https://yao.test", ASSAY_YAO_TOKEN="from-variable")
    assert (found.server, token(found)) == ("https://yao.test", "from-variable")


def test_every_key_of_the_table(home: Path, project: Path) -> None:
    (project / "token").write_text("from-file\n", "utf-8")
    toml = """
        server = "https://yao.test:8443/"
        token_file = "token"
        ca_file = "ca.pem"
        accept = "standard"
        route = "experts"
        trace = "off"
        max_file_size = "5MB"
        identities = { "alice@sales" = "ALICE_TOKEN", "bob" = "$BOB_TOKEN" }
    """
    made = built(project, toml, ALICE_TOKEN="token-of-alice", BOB_TOKEN="token-of-bob")
    found: YaoSettings = made.settings
    assert token(found) == "from-file"
    assert found.ca_file == project / "ca.pem"
    assert (found.accept, found.route, found.trace) == ("standard", "experts", "off")
    assert found.max_file_size == 5_000_000
    assert {key: item.reveal() for key, item in found.identities.items()} == {
        "alice@sales": "token-of-alice",
        "bob": "token-of-bob",
    }
    assert {secret.reveal() for secret in made.secrets} == {
        "token-of-alice",
        "token-of-bob",
        "from-file",
    }
    assert made.warnings == ()


def test_the_token_comes_before_its_file(home: Path, project: Path) -> None:
    (project / "token").write_text("from-file", "utf-8")
    found = settings(project, 'token_file = "token"', ASSAY_YAO_TOKEN="from-variable")
    assert token(found) == "from-variable"


@pytest.mark.parametrize("written", ["Bearer abc.def", " abc.def\n", "Bearer  abc.def "])
def test_a_token_is_sent_bare(home: Path, project: Path, written: str) -> None:
    assert token(settings(project, ASSAY_YAO_TOKEN=written)) == "abc.def"


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ('server = "127.0.0.1:5099"', "is no address"),
        ('server = "ftp://x"', "is no address"),
        ('server = "http://"', "is no address"),
        ('server = "http://x:port"', "is no address"),
        ('server = "http://x/?a=b"', "is no address"),
        ('server = "http://user:word@x"', "must hold no password"),
        ('accept = "cui"', "accept"),
        ('route = "agents"', "route"),
        ('trace = "on"', "trace"),
        ('max_file_size = "0B"', "must be more than 0"),
        ('token_file = "nowhere"', "token_file: .*nowhere cannot be read: No such file"),
        ('identities = { "alice" = "NOT_SET" }', "the variable NOT_SET is not set"),
        ('tocken = "$X"', "unknown key; did you mean 'token'"),
    ],
)
def test_what_is_wrong_is_told(home: Path, project: Path, toml: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        settings(project, toml)


@pytest.mark.parametrize("written", ["two words", "tökén", "a\x00b"])
def test_a_token_that_no_header_can_carry_is_not_repeated(
    home: Path, project: Path, written: str
) -> None:
    with pytest.raises(ConfigError, match="holds characters that no token has") as caught:
        settings(project, ASSAY_YAO_TOKEN=written)
    assert written not in str(caught.value)
    with pytest.raises(ConfigError, match=r"the token of \$ALICE"):
        settings(project, 'identities = { "alice" = "ALICE" }', ALICE=written)


def test_an_empty_file_is_no_token(home: Path, project: Path) -> None:
    (project / "token").write_text("\n", "utf-8")
    with pytest.raises(ConfigError, match="is empty"):
        settings(project, 'token_file = "token"')


def test_credentials_are_the_last_resort_and_warned_of(home: Path, project: Path) -> None:
    credentials(home)
    made = built(project)
    assert token(made.settings) == "kept-token"
    assert made.settings.chosen.note.startswith("the token is the one of ~/.yao/credentials")
    assert "servers may refuse it over HTTP" in made.settings.chosen.note
    assert Secret("kept-token") in made.secrets
    assert token(settings(project, ASSAY_YAO_TOKEN="mine")) == "mine"


def test_credentials_for_grpc_alone_are_said_to_be_refused(home: Path, project: Path) -> None:
    credentials(home, scope="grpc:run grpc:agent")
    found = settings(project)
    assert found.chosen is not None
    assert "it is for gRPC alone, and servers refuse it over HTTP" in (found.chosen.note or "")


@pytest.mark.parametrize(
    ("server", "is_taken"),
    [
        ("http://127.0.0.1:5099/", True),
        ("https://127.0.0.1:5099", False),
        ("http://127.0.0.1:5098", False),
        ("http://evil.test:5099", False),
        ("", False),
        (None, False),
        ("http://[", False),
    ],
)
def test_credentials_go_only_to_their_own_server(
    home: Path, project: Path, server: object, is_taken: bool
) -> None:
    credentials(home, server=server)
    assert (settings(project).chosen is not None) is is_taken


@pytest.mark.parametrize("content", [b"", b"no base64!", base64.b64encode(b"[1]"), b"\xff\xfe"])
def test_credentials_that_are_none_are_left_alone(
    home: Path, project: Path, content: bytes
) -> None:
    (home / ".yao" / "credentials").write_bytes(content)
    assert settings(project).chosen is None


def test_no_secret_is_shown(home: Path, project: Path) -> None:
    (project / "token").write_text("from-file-secret", "utf-8")
    found = settings(
        project,
        'token_file = "token"\nidentities = { "alice" = "ALICE" }',
        ALICE="secret-of-alice",
    )
    assert "from-file-" not in repr(found)
    assert "secret-of-" not in repr(found)
