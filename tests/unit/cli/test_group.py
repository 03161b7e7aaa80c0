from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from assay import __version__
from assay.cli import main

if TYPE_CHECKING:
    from tests.unit.conftest import Site

COMMAND = """
import click
from assay import hookimpl, AgentError, ConfigError, RunError

@click.command("say")
@click.argument("words", nargs=-1)
@click.pass_obj
def say(app, words):
    '''Say something.'''
    {body}

@hookimpl
def assay_commands():
    return [say]
"""


def assay(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, args, prog_name="assay")


def program(site: Site, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, with a site on its path."""
    return subprocess.run(
        [sys.executable, "-m", "assay", *args],
        env={**os.environ, "PYTHONPATH": python_path(site), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def python_path(site: Site) -> str:
    return os.pathsep.join([str(site.folder), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)


def install(site: Site, body: str, word: str = "say") -> None:
    source = COMMAND.format(body=body).replace('"say"', repr(word))
    site.install("assay_say", {f"command.{word}": "mod_say"}, {"mod_say": source})


def test_help_lists_core_and_plugins(site: Site) -> None:
    install(site, "")
    result = assay("--help")
    assert result.exit_code == 0
    listed = result.stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed[:2]] == ["test", "plugins"]
    assert "  say      Say something." in listed
    assert not [line for line in listed if line.endswith("...")]


def test_help_survives_a_broken_plugin_and_names_it(site: Site) -> None:
    site.install("bad", {"command.bad": "mod_bad"}, {"mod_bad": "raise SystemExit(0)"})
    result = assay("--help")
    assert result.exit_code == 0
    assert "Commands:" in result.stdout
    (warning,) = result.stderr.splitlines()
    assert warning.startswith("Warning: plugin command.bad of bad 1.0: mod_bad cannot be imported")


def test_help_imports_nothing_that_is_slow(site: Site) -> None:
    script = """
import sys
sys.argv = ["assay", "--help"]
from assay.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
slow = {"asyncio", "attr", "cattrs", "httpx", "importlib.metadata", "jinja2", "jsonpath_rfc9535",
        "markdown_it", "re2", "regex", "rich", "yaml"}
print("SLOW", sorted(slow & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.startswith("Usage: assay")
    assert done.stderr.endswith("SLOW []\n")


def test_a_command_is_imported_only_when_it_is_called(site: Site) -> None:
    install(site, "click.echo('said')")
    source = "raise RuntimeError('imported')"
    site.install("other", {"command.other": "mod_other"}, {"mod_other": source})
    result = assay("say")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "said\n", "")


def test_without_arguments_help_is_shown_and_the_exit_code_is_2() -> None:
    result = assay()
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: assay")
    assert result.stdout == ""


@pytest.mark.parametrize(
    "args",
    [
        ["-i", "x", "--help"],
        ["--runs", "3", "--help"],
        ["-p", "no:assertion.type", "-i", "x", "--help"],
        ["-pno:assertion.type", "--debug", "-i", "x", "--help"],
        ["test", "--help"],
    ],
)
def test_the_plain_form_means_test(args: list[str]) -> None:
    result = assay(*args)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: assay test")


@pytest.mark.parametrize(
    "args", [["--version"], ["plugins", "--version"], ["-i", "x", "--version"]]
)
def test_version_stands_before_and_after_the_subcommand(args: list[str]) -> None:
    result = assay(*args)
    assert (result.exit_code, result.stdout) == (0, f"assay {__version__}\n")


@pytest.mark.parametrize("args", [["-p", "{}", "plugins"], ["plugins", "-p", "{}"]])
def test_a_switch_stands_before_and_after_the_subcommand(args: list[str]) -> None:
    result = assay(*[arg.format("no:assertion.type") for arg in args])
    assert result.exit_code == 0
    (line,) = [
        line for line in result.stdout.splitlines() if line.split()[:2] == ["assertion", "type"]
    ]
    assert line.endswith("switched off")
    result = assay(*[arg.format("no:assertion.typ") for arg in args])
    assert result.exit_code == 2
    assert "did you mean 'no:assertion.type'?" in result.stderr


def test_switches_of_both_places_add_up() -> None:
    result = assay("-p", "no:assertion.type", "plugins", "-p", "no:assertion.regex")
    assert result.stdout.count("switched off") == 2


@pytest.mark.parametrize("args", [["--strict-plugins", "plugins"], ["plugins", "--strict-plugins"]])
def test_strict_plugins_stands_before_and_after_the_subcommand(site: Site, args: list[str]) -> None:
    site.install("bad", {"nodot": "m"})
    assert assay("plugins").exit_code == 0
    result = assay(*args)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: plugin nodot of bad 1.0: ")
    assert result.stderr.count("\n") == 1


def test_a_plugins_command_gets_the_flags_too(site: Site) -> None:
    install(site, "click.echo((app.disabled, app.strict_plugins, app.debug, words))")
    result = assay("say", "-p", "no:assertion.type", "--strict-plugins", "--debug", "hello")
    assert result.stdout == "(('no:assertion.type',), True, True, ('hello',))\n"


def test_a_plugins_command_keeps_its_own_flags(site: Site) -> None:
    source = """
import click
from assay import hookimpl

@click.command("say")
@click.option("-p", "--pitch", type=int)
def say(pitch):
    click.echo(pitch * 2)

@hookimpl
def assay_commands():
    return [say]
"""
    site.install("assay_say", {"command.say": "mod_say"}, {"mod_say": source})
    result = assay("say", "-p", "21", "--strict-plugins")
    assert (result.exit_code, result.stdout) == (0, "42\n")


@pytest.mark.parametrize("args", [["-p", "no:command.say", "say"], ["say", "-p", "no:command.say"]])
def test_a_command_that_is_switched_off_says_so(site: Site, args: list[str]) -> None:
    install(site, "click.echo('said')")
    result = assay(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no command 'say': assay-say 1.0 offers it, but -p no:command.say" in result.stderr


def test_a_command_that_is_broken_says_why_once(site: Site) -> None:
    site.install("bad", {"command.bad": "mod_bad"}, {"mod_bad": "import no_such_module_here"})
    result = assay("bad")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: no command 'bad': plugin command.bad of bad 1.0: ")
    assert result.stderr.count("no_such_module_here") == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tset", "did you mean 'test'?"),
        ("sya", "did you mean 'say'?"),
        ("no/such/cases.jsonl", "write assay -i no/such/cases.jsonl"),
        ("xxxxxxxx", "the commands are test, plugins, "),
    ],
)
def test_an_unknown_command_is_a_usage_error_with_a_hint(site: Site, name: str, told: str) -> None:
    install(site, "")
    result = assay(name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"no command {name!r}" in result.stderr
    assert told in result.stderr


def test_an_unknown_flag_of_a_command_is_a_usage_error() -> None:
    result = assay("plugins", "--jsno")
    assert result.exit_code == 2
    assert "--json" in result.stderr


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("raise ConfigError('cases.jsonl: bad; mend it')", 2, "Error: cases.jsonl: bad; mend it\n"),
        ("raise ConfigError('two faults', ['a:1', 'b:2'])", 2, "Error: two faults\na:1\nb:2\n"),
        ("raise RunError('disk full')", 3, "Error: disk full\n"),
        ("raise AgentError('gone')", 3, "Error: gone\n"),
        (
            "raise ValueError('one\\ntwo')",
            3,
            "Error: unexpected ValueError: one two; --debug shows where\n",
        ),
        ("raise KeyError", 3, "Error: unexpected KeyError; --debug shows where\n"),
        ("raise KeyboardInterrupt", 130, "Interrupted.\n"),
        ("raise click.Abort", 130, "Interrupted.\n"),
        ("raise click.ClickException('no')", 2, "Error: no\n"),
        ("raise click.FileError('f', 'no')", 2, "Error: Could not open file 'f': no\n"),
        ("click.get_current_context().exit(1)", 1, ""),
        ("raise SystemExit(7)", 7, ""),
        ("raise BrokenPipeError", 3, ""),
        ("raise RunError('red \\x1b[31m')", 3, "Error: red "),
    ],
)
def test_whatever_goes_wrong_is_a_message_and_an_exit_code(
    site: Site, body: str, code: int, message: str
) -> None:
    install(site, body)
    result = assay("say")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith(message)
    assert message or not result.stderr
    assert "\x1b" not in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("args", [["--debug", "say"], ["say", "--debug"]])
@pytest.mark.parametrize("error", ["ConfigError", "ValueError"])
def test_debug_shows_the_traceback(site: Site, args: list[str], error: str) -> None:
    install(site, f"raise {error}('what happened')")
    result = assay(*args)
    assert result.exit_code == (2 if error == "ConfigError" else 3)
    assert result.stderr.startswith("Traceback (most recent call last):")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert last.endswith("what happened")


def test_debug_shows_the_traceback_of_a_plugin_that_failed(site: Site) -> None:
    site.install("bad", {"command.bad": "mod_bad"}, {"mod_bad": "1 / 0"})
    result = assay("--debug", "--help")
    assert "mod_bad.py" in result.stderr
    assert "Warning: plugin command.bad" in result.stderr


def test_ctrl_c_ends_a_process_with_130(site: Site) -> None:
    # Whoever runs the tests may have started them with the signal ignored, which is inherited.
    source = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    install(site, f"{source}; signal.raise_signal(signal.SIGINT)")
    done = program(site, "say")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_a_reader_that_goes_away_is_no_news(site: Site) -> None:
    install(site, "[click.echo('x' * 1000) for _ in range(1000)]")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "assay", "say"],
            env={**os.environ, "PYTHONPATH": python_path(site)},
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (3, "")


def test_what_a_narrow_locale_cannot_show_is_escaped(site: Site) -> None:
    install(site, "click.echo('naïve 🎉')")
    done = program(site, "say", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0
    assert done.stdout.encode() == "naïve 🎉\n".encode()


def test_the_shell_can_ask_for_completion(site: Site) -> None:
    install(site, "")
    site.install("bad", {"command.bad": "mod_bad"}, {"mod_bad": "raise SystemExit"})

    def complete(words: str) -> list[str]:
        done = program(
            site,
            _ASSAY_COMPLETE="bash_complete",
            COMP_WORDS=words,
            COMP_CWORD=str(words.count(" ")),
        )
        assert done.returncode == 0, done.stderr
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert {"test", "plugins", "say"} <= set(complete("assay "))
    assert complete("assay pl") == ["plugins"]
    assert complete("assay plugins --che") == ["--check"]
    assert "--input" in complete("assay -i x --in")
    script = program(site, _ASSAY_COMPLETE="bash_source")
    assert script.returncode == 0
    assert "_ASSAY_COMPLETE=bash_complete" in script.stdout
