from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import attrs
import pytest

from assay.errors import ConfigError
from assay.settings.files import SettingsFiles
from assay.settings.layers import RunSettings, SuiteSettings, run_settings, suite_settings
from assay.settings.table import SETTINGS, by_name

if TYPE_CHECKING:
    from assay.settings.setting import Setting

OVERRIDDEN = {"transport", "user", "team"}


def names(scope: str) -> set[str]:
    return {
        setting.name for setting in SETTINGS if setting.scope == scope and not setting.stands_for
    }


def test_names_words_and_flags_are_each_given_once() -> None:
    for what in ("name", "word", "env"):
        values = [getattr(setting, what) for setting in SETTINGS]
        assert len(values) == len(set(values))
    flags = [flag for setting in SETTINGS for flag in setting.flags]
    assert len(flags) == len(set(flags))


def test_flag_variable_and_key_follow_from_the_word() -> None:
    setting = by_name("min_pass_rate")
    assert setting.flags == ("--min-pass-rate",)
    assert setting.env == "ASSAY_MIN_PASS_RATE"
    assert setting.toml == ("test", "min_pass_rate")
    assert by_name("inputs").flags == ("-i", "--input")
    assert by_name("inputs").toml is None
    assert by_name("fail_fast").flags == ("--fail-fast", "--no-fail-fast")


def test_the_settings_are_those_of_the_documentation() -> None:
    assert {setting.word for setting in SETTINGS if setting.short is None} == {
        "allow_files",
        "transport",
        "locale",
        "runs",
        "timeout",
        "parallel",
        "retries",
        "min_pass_rate",
        "require_assertions",
        "fail_fast",
        "run",
        "tag",
        "dry_run",
        "json",
        "assert",
        "strict",
        "set",
        "executor",
        "grace",
        "rate",
        "resume",
        "retry_errors",
        "shard",
        "max_wait",
        "record",
        "replay",
        "replay_missing",
    }
    assert {setting.word: setting.short for setting in SETTINGS if setting.short} == {
        "input": "-i",
        "output": "-o",
        "name": "-n",
        "connector": "-c",
        "user": "-u",
        "team": "-t",
        "reporter": "-r",
        "verbose": "-v",
        "quiet": "-q",
    }


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.word)
def test_every_help_is_a_full_sentence(setting: Setting) -> None:
    assert setting.help[0].isupper()
    assert setting.help.endswith(".")


def test_every_setting_has_its_field_with_the_same_default() -> None:
    run = attrs.asdict(RunSettings(), filter=lambda field, _: field.name != "origins")
    assert set(run) == names("run")
    suite = attrs.asdict(SuiteSettings(), filter=lambda field, _: field.name != "origins")
    assert set(suite) == names("suite") | {f"{name}_override" for name in OVERRIDDEN}
    assert run_settings({}, {}, ()) == RunSettings()
    assert suite_settings({}, {}, ()) == SuiteSettings()


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        by_name("nonsense")


def test_the_table_imports_nothing_slow() -> None:
    code = (
        "import sys, assay.settings.table\n"
        "slow = {'cattrs', 'asyncio', 'httpx', 'rich', 'tomllib', 'json', 'click'}\n"
        "print(*sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_settings_are_read_without_the_converter() -> None:
    code = (
        "import sys, assay.settings.layers, assay.settings.files, assay.settings.plugin\n"
        "print(*sorted({'cattrs', 'asyncio', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    assert SettingsFiles().cwd.is_absolute()


def test_what_stands_for_a_setting_of_a_plugin_becomes_an_assignment() -> None:
    given = {"record": "1.rec", "sets": ("wrap.record.file=2.rec",)}
    settings = run_settings(given, {"ASSAY_REPLAY_MISSING": "ask"}, ())
    told = [(each.key, each.value, each.label) for each in settings.sets]
    assert told == [
        ("wrap.record.file", "2.rec", "--set wrap.record.file"),
        ("wrap.record.file", "1.rec", "--record"),
        ("wrap.replay.missing", "ask", "ASSAY_REPLAY_MISSING"),
    ]


def test_a_path_that_looks_like_a_number_stays_text() -> None:
    (only,) = run_settings({"replay": "2026"}, {}, ()).sets
    assert only.value == "2026"


def test_an_empty_record_is_refused() -> None:
    with pytest.raises(ConfigError, match="--record: it is empty"):
        run_settings({"record": ""}, {}, ())
