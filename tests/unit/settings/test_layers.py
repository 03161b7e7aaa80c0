from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.errors import ConfigError
from assay.settings.assignment import parse_assignment
from assay.settings.files import SettingsFiles
from assay.settings.layers import run_settings, suite_settings, unknown_variables
from assay.settings.rate import Rate

if TYPE_CHECKING:
    from assay.settings.sections import SettingsFile


@pytest.fixture
def files(tmp_path: Path) -> tuple[SettingsFile, ...]:
    (tmp_path / "assay.toml").write_text(
        "root = true\n[test]\nruns = 2\ntimeout = '10s'\nuser = 'outer'\nparallel = 4\n"
    )
    (tmp_path / "app").mkdir()
    (tmp_path / "app/assay.toml").write_text("[test]\nruns = 3\ntransport = 'http'\n")
    return SettingsFiles(tmp_path).above(tmp_path / "app")


def test_flags_beat_variables_beat_the_nearest_file_beats_defaults(
    files: tuple[SettingsFile, ...],
) -> None:
    environ = {"ASSAY_RUNS": "4"}
    flag = suite_settings({"runs": "5"}, environ, files)
    variable = suite_settings({}, environ, files)
    near = suite_settings({}, {}, files)
    far = suite_settings({}, {}, files[1:])
    default = suite_settings({}, {}, ())
    assert [each.runs for each in (flag, variable, near, far, default)] == [5, 4, 3, 2, 1]
    assert [each.origins["runs"] for each in (flag, variable, near, far, default)] == [
        "--runs",
        "ASSAY_RUNS",
        "app/assay.toml [test] runs",
        "assay.toml [test] runs",
        "default",
    ]


def test_files_are_merged_key_by_key(files: tuple[SettingsFile, ...]) -> None:
    settings = suite_settings({}, {}, files)
    assert (settings.runs, settings.timeout, settings.transport) == (3, 10.0, "http")
    assert run_settings({}, {}, files).parallel == 4


def test_an_empty_variable_counts_as_unset(files: tuple[SettingsFile, ...]) -> None:
    assert suite_settings({}, {"ASSAY_RUNS": "", "ASSAY_USER": " "}, files).runs == 3


@pytest.mark.parametrize("name", ["user", "team", "transport"])
def test_overrides_are_kept_apart_from_what_files_say(name: str, tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text(f"root = true\n[test]\n{name} = 'file'\n")
    files = SettingsFiles(tmp_path).above(tmp_path)

    def pair(given: dict[str, object], environ: dict[str, str]) -> tuple[object, object, str]:
        settings = suite_settings(given, environ, files)
        plain, override = getattr(settings, name), getattr(settings, f"{name}_override")
        return plain, override, settings.origins[name]

    variable = f"ASSAY_{name.upper()}"
    assert pair({}, {}) == ("file", None, f"assay.toml [test] {name}")
    assert pair({}, {variable: "variable"}) == ("file", "variable", variable)
    assert pair({name: "flag"}, {variable: "variable"}) == ("file", "flag", f"--{name}")


def test_defaults_say_that_they_are() -> None:
    settings = suite_settings({}, {}, ())
    assert (settings.user, settings.team) == ("test-user", "test-team")
    assert settings.origins["user"] == "default"


def test_values_that_can_be_given_several_times() -> None:
    environ = {"ASSAY_INPUT": "a.jsonl\nb c.jsonl\n\n", "ASSAY_TAG": "smoke"}
    assert run_settings({}, environ, ()).inputs == ("a.jsonl", "b c.jsonl")
    assert run_settings({}, environ, ()).tags == ("smoke",)
    assert run_settings({"inputs": ("x",)}, environ, ()).inputs == ("x",)
    assert run_settings({"inputs": ["x", Path("y")]}, {}, ()).inputs == ("x", "y")
    assert run_settings({"inputs": "x"}, {}, ()).inputs == ("x",)
    assert run_settings({"sets": ("wrap.a.b=1",)}, {}, ()).sets == (parse_assignment("wrap.a.b=1"),)


def test_all_kinds_of_values_from_flags() -> None:
    run = run_settings(
        {"run_pattern": "^T0", "fail_fast": True, "asserts": ("contains:x",), "parallel": 8}, {}, ()
    )
    assert run.run_pattern == re.compile("^T0")
    assert (run.fail_fast, run.asserts, run.parallel) == (True, ("contains:x",), 8)
    suite = suite_settings(
        {"rate": "60/m", "timeout": 2.5, "agent": "echo:", "connector": "c", "max_wait": "0s"},
        {},
        (),
    )
    assert suite.rate == Rate(60, "m")
    assert (suite.timeout, suite.agent, suite.connector, suite.max_wait) == (2.5, "echo:", "c", 0)


def test_a_flag_switches_off_what_a_variable_or_file_switched_on() -> None:
    environ = {"ASSAY_FAIL_FAST": "1"}
    assert run_settings({}, environ, ()).fail_fast is True
    assert run_settings({"fail_fast": False}, environ, ()).fail_fast is False


def test_every_wrong_value_is_told_at_once_with_its_origin() -> None:
    with pytest.raises(ConfigError) as caught:
        suite_settings(
            {"runs": "0", "min_pass_rate": "101", "user": "", "nonsense": 1},
            {"ASSAY_TIMEOUT": "0s", "ASSAY_RUNS": "many"},
            (),
        )
    lines = str(caught.value).splitlines()
    assert lines[:4] == [
        "--user: it is empty; write a value or leave it out",
        "--runs: must be at least 1, not 0",
        "--min-pass-rate: must be at most 100, not 101",
        "ASSAY_TIMEOUT: must be more than 0, not 0",
    ]
    assert lines[4].startswith("nonsense: unknown setting; ")
    assert len(lines) == 5


def test_one_wrong_value_is_one_sentence() -> None:
    with pytest.raises(ConfigError) as caught:
        run_settings({"sets": ("transport.yao", "x.y.z=1")}, {}, ())
    assert len(caught.value.details) == 2
    with pytest.raises(ConfigError, match=r"^--run: '\(' is not a regular expression: "):
        run_settings({"run_pattern": "("}, {}, ())


def test_verbose_and_quiet_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match=r"^--verbose and --quiet: they exclude each other"):
        run_settings({"verbose": True, "quiet": True}, {}, ())
    with pytest.raises(ConfigError, match=r"^ASSAY_VERBOSE and ASSAY_QUIET"):
        run_settings({}, {"ASSAY_VERBOSE": "1", "ASSAY_QUIET": "1"}, ())
    quiet = run_settings({"quiet": True}, {"ASSAY_VERBOSE": "1"}, ())
    assert (quiet.verbose, quiet.quiet) == (False, True)
    loud = run_settings({"verbose": True}, {"ASSAY_QUIET": "1"}, ())
    assert (loud.verbose, loud.quiet) == (True, False)


def test_mistyped_variables_are_told_and_others_left_alone() -> None:
    environ = {
        "ASSAY_PARALEL": "8",
        "ASSAY_RUNS": "3",
        "ASSAY_OPENAI_BASE_URL": "x",
        "ASSAY_RUN_ID": "x",
        "PARALEL": "8",
    }
    assert unknown_variables(environ) == (
        "ASSAY_PARALEL: unknown variable; did you mean ASSAY_PARALLEL?",
    )
