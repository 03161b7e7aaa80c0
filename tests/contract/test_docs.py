"""The reference is complete: what users can say and read stands in the documentation."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

import attrs
import click
import pytest

import assay
from assay.api import run
from assay.cli import main
from assay.cli.common import plugin_options
from assay.codec.cases import CASE_KEYS, OPTION_KEYS
from assay.codec.checks import OWN_KEYS
from assay.codec.inputs import MESSAGE_KEYS
from assay.discovery.manager import make_plugins
from assay.discovery.records import OWN, Record
from assay.model.message import ROLES
from assay.model.result import STATUSES, Stability
from assay.recorded import write_reports
from assay.settings.assignment import PLUGIN_KINDS
from assay.settings.sections import AGENT_KEYS
from assay.settings.table import SETTINGS
from doc_pages import Cell, Page, Section, Table, page, pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.settings.setting import Setting

PLUGINS = make_plugins()
RECORDS = [record for record in PLUGINS.records if record.distribution == OWN]
COMMANDS = ("test", "plugins", *PLUGINS.words("command"))


def of_kind(kind: str) -> list[str]:
    return [record.word for record in RECORDS if record.kind == kind]


# --- Settings -----------------------------------------------------------------------------


def settings_table() -> Table:
    return page("settings")["Reference"].tables[0]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.word)
def test_a_setting_has_its_row(setting: Setting) -> None:
    rows = [row for row in settings_table().rows if setting.flag in row[0].codes]

    (row,) = rows
    flags, name, key, default, meaning = row
    assert set(flags.codes) == set(setting.flags)
    assert name.codes == (setting.env,)
    assert key.codes == (() if setting.toml is None else ("[test]", setting.toml[1]))
    has_default = setting.default not in (None, False)
    assert default.codes == ((str(setting.default),) if has_default else ())
    assert ("several times" in meaning.text) == setting.multiple


def test_no_row_is_of_a_setting_that_is_gone() -> None:
    assert set(settings_table().column(0)) == {flag for each in SETTINGS for flag in each.flags}


def test_the_flags_of_every_command_have_rows() -> None:
    flags = plugin_options(click.Command("any", add_help_option=False)).params
    wanted = {flag for option in flags for flag in option.opts} | {"-h", "--help"}

    told = {code.partition(" ")[0] for code in page("settings")["Reference"].tables[1].column(0)}

    assert told == wanted


@pytest.mark.parametrize("key", AGENT_KEYS)
def test_a_key_of_the_agent_has_its_row(key: str) -> None:
    assert key in page("agents")["The agent's folder"].tables[0].column(0)


@pytest.mark.parametrize("kind", PLUGIN_KINDS)
def test_a_section_for_plugins_has_its_row(kind: str) -> None:
    assert f"[{kind}.NAME]" in page("settings")["Settings files"].codes


@pytest.mark.parametrize("section", ["[agent]", "[test]", "root"])
def test_a_section_of_settings_files_has_its_row(section: str) -> None:
    assert section in page("settings")["Settings files"].codes


def plugin_settings() -> Iterator[tuple[Record, str]]:
    for record in RECORDS:
        settings: Any = getattr(PLUGINS.load(record), "Settings", None)
        if settings is not None:
            yield from (
                (record, each.name.strip("_")) for each in attrs.fields(settings) if each.init
            )


@pytest.mark.parametrize(
    ("record", "key"), list(plugin_settings()), ids=lambda value: getattr(value, "name", value)
)
def test_a_setting_of_a_plugin_stands_on_a_page_of_its_kind(record: Record, key: str) -> None:
    place = f"[{record.kind}.{record.word}]"
    own = [each for each in pages() if place in each.codes or place in all_text(each)]

    assert own, f"no page shows {place}"
    assert any(key in each.codes for each in own), f"no page with {place} tells of {key}"


def all_text(where: Page) -> str:
    return "\n".join(block.text for block in where.blocks)


# --- Commands ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_section(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    common = {flag for each in plugin_options(click.Command("any")).params for flag in each.opts}
    own = [option for option in command.params if common.isdisjoint(option.opts)]

    section = page("commands")[f"assay {name}"]

    if name != "test":
        wanted = {flag for each in own for flag in each.opts if flag.startswith("-")}
        assert wanted <= section.codes


def test_flags_that_pages_name_are_there() -> None:
    known = {flag for each in SETTINGS for flag in each.flags}
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        known |= {flag for option in command.params for flag in option.opts}

    for each in pages():
        told = {code.split()[0] for code in each.codes if code.startswith("--") and code != "--"}
        flags = {flag.partition("=")[0] for flag in told} - {"--help"}
        assert flags <= known, f"{each.name}: {sorted(flags - known)}"


@pytest.mark.parametrize("code", list(assay.ExitCode), ids=lambda code: code.name)
def test_an_exit_code_has_its_row(code: assay.ExitCode) -> None:
    rows = page("ci")["Exit codes"].tables[0].rows

    assert [row[1].codes for row in rows if row[0].text == str(int(code))] == [(code.name,)]


# --- Cases and assertions ------------------------------------------------------------------


def test_each_field_of_a_case_has_its_row() -> None:
    assert page("cases")["Fields"].tables[0].column(0) == list(CASE_KEYS)


def test_each_field_of_a_message_has_its_row() -> None:
    assert set(page("cases")["Input"].tables[0].column(0)) == set(MESSAGE_KEYS)
    assert set(ROLES) <= page("cases")["Input"].codes


def test_each_option_of_a_case_has_its_row() -> None:
    assert set(page("cases")["options"].tables[0].column(0)) == set(OPTION_KEYS)


def section_of(title: str) -> Section:
    """Find the one section of that title on any page."""
    (found,) = [each[title] for each in pages() if title in each]
    return found


def test_what_assertions_have_in_common_has_its_rows() -> None:
    assert page("assertions")["For all types"].tables[0].column(0) == list(OWN_KEYS)


@pytest.mark.parametrize("word", of_kind("assertion"))
def test_an_assertion_has_its_fields(word: str) -> None:
    cls: Any = PLUGINS.assertion(word)
    fields = {each.name.rstrip("_"): each for each in attrs.fields(cls)}

    table = section_of(word).tables[0]

    assert [cell.text for cell in table.heading] == ["field", "type", "means"]
    rows: dict[str, Cell] = {row[0].codes[0]: row[2] for row in table.rows}
    assert list(rows) == list(fields)
    for key, each in fields.items():
        is_needed = each.default is attrs.NOTHING
        assert rows[key].text.startswith("Needed.") == is_needed, key


@pytest.mark.parametrize("word", of_kind("assertion"))
def test_an_assertion_is_in_the_list(word: str) -> None:
    assert word in page("assertions").sections[1].tables[0].column(0)


# --- Reports -------------------------------------------------------------------------------


@pytest.mark.parametrize("word", of_kind("reporter"))
def test_a_reporter_has_its_row(word: str) -> None:
    suffixes = getattr(PLUGINS.reporter(word), "suffixes", ())

    rows = page("reports")["Choose reports"].tables[0].rows

    assert [row[1].codes for row in rows if row[0].codes == (word,)] == [tuple(suffixes)]


def test_each_status_is_told() -> None:
    assert set(STATUSES) <= page("reports")["result lines"].codes


def test_each_figure_of_stability_has_its_row() -> None:
    told = set(page("stability")["Figures of a case"].tables[0].column(0))

    assert {each.name for each in attrs.fields(Stability)} <= told


# --- Python --------------------------------------------------------------------------------


def test_the_signature_of_run_is_shown() -> None:
    (shown,) = ast.parse(page("python")["assay.run"].blocks[0].text).body
    (made,) = ast.parse(inspect.getsource(run)).body
    assert isinstance(shown, ast.FunctionDef)
    assert isinstance(made, ast.FunctionDef)

    # The source has a short name for this.
    arguments = ast.unparse(shown.args).replace("Iterable[Mapping[str, object]]", "Cases")

    assert arguments == ast.unparse(made.args)
    names = {argument.arg for argument in made.args.kwonlyargs}
    assert names <= page("python")["assay.run"].codes


def test_the_arguments_of_write_reports_are_told() -> None:
    assert set(inspect.signature(write_reports).parameters) <= page("python").codes


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.word)
def test_a_setting_has_its_name_in_python(setting: Setting) -> None:
    told = page("python").codes

    has_key_name = setting.toml is not None and setting.toml[1] == setting.name
    is_argument = setting.name in ("inputs", "outputs", "agent", "dry_run")
    assert has_key_name or is_argument or setting.name in told
