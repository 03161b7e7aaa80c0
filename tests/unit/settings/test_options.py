from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from assay.cli.options import given, help_of, setting_options
from assay.settings.layers import run_settings, suite_settings
from assay.settings.setting import Setting
from assay.settings.table import SETTINGS, by_name


@click.command()
@setting_options()
def everything(**values: object) -> None:
    click.echo(json.dumps(given(values)))


@click.command()
@setting_options("user", "inputs")
def some(**values: object) -> None:
    click.echo(json.dumps(given(values)))


def invoke(*arguments: str) -> dict[str, object]:
    done = CliRunner().invoke(everything, arguments)
    assert done.exit_code == 0, done.output
    values: dict[str, object] = json.loads(done.stdout)
    return values


def test_nothing_given_is_nothing() -> None:
    assert invoke() == {}


def test_variables_are_not_read_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", "3")
    assert invoke() == {}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.word)
def test_every_flag_gives_its_setting(setting: Setting) -> None:
    for flag in setting.flags:
        if setting.kind == "flag":
            assert invoke(flag) == {setting.name: flag != setting.off}
        else:
            value = ["x"] if setting.multiple else "x"
            assert invoke(flag, "x") == {setting.name: value}
            assert invoke(flag, "") == {setting.name: [""] if setting.multiple else ""}


def test_what_is_given_is_what_settings_take() -> None:
    values = invoke("-i", "a", "-i", "-", "--runs", "3", "-v", "--no-fail-fast", "--tag", "x")
    run = run_settings(values, {"ASSAY_FAIL_FAST": "1"}, ())
    assert run.inputs == ("a", "-")
    assert (run.verbose, run.fail_fast, run.tags) == (True, False, ("x",))
    assert suite_settings(values, {}, ()).runs == 3


def test_a_command_may_take_some_in_the_order_of_the_table() -> None:
    assert [param.name for param in some.params] == ["inputs", "user"]
    assert CliRunner().invoke(some, ["--runs", "3"]).exit_code == 2


def test_help_names_flag_variable_and_default() -> None:
    shown = CliRunner().invoke(everything, ["--help"], terminal_width=1000).stdout
    for setting in SETTINGS:
        assert setting.help in shown
        assert f"Variable: {setting.env}." in shown
        for flag in setting.flags:
            assert flag in shown
    assert help_of(by_name("timeout")).endswith("Variable: ASSAY_TIMEOUT. Default: 5m.")
    assert help_of(by_name("rate")).endswith("Variable: ASSAY_RATE.")
    assert help_of(by_name("json")).endswith("Variable: ASSAY_JSON.")


def test_a_setting_that_does_not_exist_is_a_mistake_of_the_program() -> None:
    with pytest.raises(KeyError):
        setting_options("nonsense")
