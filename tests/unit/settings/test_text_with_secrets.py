from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import field, frozen

from assay.errors import ConfigError
from assay.secret import Redactor, Secret
from assay.settings.files import SettingsFiles
from assay.settings.gather import Sources
from assay.settings.plugin import Built, build


class Headed:
    """A plugin whose texts may hold secrets."""

    @frozen(kw_only=True)
    class Settings:
        headers: Mapping[str, Secret | str] = field(factory=dict[str, "Secret | str"])


def headed(headers: str, tmp_path: Path) -> Built:
    (tmp_path / "assay.toml").write_text(f"[transport.x.headers]\n{headers}\n", encoding="utf-8")
    sources = Sources(
        sets=(),
        environ={"TOKEN": "a-long-token", "OTHER": "another-one"},
        files=SettingsFiles(tmp_path).above(tmp_path),
        cwd=tmp_path,
    )
    return build(sources, "transport", "x", Headed)


def test_a_text_may_hold_secrets(tmp_path: Path) -> None:
    built = headed('A = "Bearer $TOKEN"\nB = "plain $ text"\nC = "$TOKEN/${OTHER}"', tmp_path)
    headers = built.settings.headers
    assert headers["A"].reveal() == "Bearer a-long-token"
    assert headers["A"].source == "$TOKEN"
    assert headers["B"] == "plain $ text"
    assert headers["C"].reveal() == "a-long-token/another-one"
    assert not built.warnings
    redactor = Redactor(built.secrets)
    assert redactor.text("Bearer a-long-token, another-one, plain") == "Bearer ***, ***, plain"


def test_a_variable_in_a_text_that_is_not_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"headers\.A: the variable NONE is not set"):
        headed('A = "Bearer $NONE"', tmp_path)


def test_a_literal_credential_is_a_secret_and_told(tmp_path: Path) -> None:
    built = headed('A = "bearer abcdefghi"', tmp_path)
    assert Redactor(built.secrets).text("bearer abcdefghi") == "bearer ***"
    (warning,) = built.warnings
    assert "the file holds a secret" in warning
    assert "abcdefghi" not in warning
