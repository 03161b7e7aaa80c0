from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from assay.contracts import WrapContext
from assay.discovery.manager import Plugins, make_plugins
from assay.discovery.registry import HOOK_OF
from assay.errors import ConfigError, RunError
from assay.model.case import AgentClue, AgentRef, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.unit.conftest import Site

    from assay.contracts import Transport

ASSERTION = """
from typing import ClassVar
from attrs import frozen
from assay import hookimpl, Verdict

@frozen(kw_only=True)
class {cls}:
    name: ClassVar[str] = {word!r}
    value: str = ""

    def check(self, outcome):
        return Verdict(passed=True)

@hookimpl
def assay_assertion_types():
    return [{cls}]
"""

HEAD = """
from typing import ClassVar
from attrs import frozen, define
from assay import hookimpl, Verdict, AgentClue
"""


def assertion(word: str) -> str:
    return ASSERTION.format(cls="Checks", word=word)


def plugins_of(
    site: Site, name: str, source: str, *, distribution: str = "assay_x", strict: bool = False
) -> Plugins:
    """Install one plugin, and find it."""
    module = f"mod_{name.replace('.', '_').replace('-', '_')}"
    site.install(distribution, {name: module}, {module: source}, version="1.2")
    return make_plugins(path=site.path, strict=strict)


def the_problem(plugins: Plugins) -> str:
    """Load everything, and give the one problem's cause."""
    assert [plugins.load(record) for record in plugins.records] == [None]
    (problem,) = plugins.problems
    assert (problem.distribution, problem.version) == ("assay-x", "1.2")
    return problem.cause


def no_settings(word: str) -> Mapping[str, Any]:
    return {}


def test_nothing_is_imported_before_it_is_needed_and_then_once(site: Site) -> None:
    source = f"import sys\nsys.count_a = getattr(sys, 'count_a', 0) + 1\n{assertion('a')}"
    plugins = plugins_of(site, "assertion.a", source)
    assert plugins.words("assertion") == ("a",)
    assert plugins.origin("assertion", "a").distribution == "assay-x"
    assert "mod_assertion_a" not in sys.modules
    first = plugins.assertion("a")
    assert plugins.assertion("a") is first
    assert cast("Any", first).name == "a"
    assert cast("Any", sys).count_a == 1
    del cast("Any", sys).count_a
    assert plugins.problems == ()


def test_a_plugin_can_be_an_object_in_a_module(site: Site) -> None:
    body = assertion("a").replace(
        "@hookimpl\ndef assay_assertion_types():\n    return [Checks]", ""
    )
    source = f"""{body}
class Holder:
    class plugin:
        @staticmethod
        @hookimpl
        def assay_assertion_types():
            return [Checks]
"""
    site.install("assay_x", {"assertion.a": "mod_obj:Holder.plugin"}, {"mod_obj": source})
    plugins = make_plugins(path=site.path)
    assert plugins.assertion("a").__name__ == "Checks"


def test_one_module_can_be_several_plugins(site: Site) -> None:
    source = ASSERTION.format(cls="A", word="a") + ASSERTION.format(cls="B", word="b")
    source = source.replace("return [A]", "return []").replace("return [B]", "return [A, B]")
    site.install(
        "assay_x", {"assertion.a": "mod_two", "assertion.b": "mod_two"}, {"mod_two": source}
    )
    plugins = make_plugins(path=site.path)
    assert [plugins.assertion(word).__name__ for word in "ab"] == ["A", "B"]
    assert plugins.problems == ()
    without = make_plugins(["no:assertion.b"], path=site.path)
    assert without.assertion("a").__name__ == "A"
    with pytest.raises(ConfigError, match=r"-p no:assertion\.b takes it out"):
        without.assertion("b")


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
        ("def broken(:", "SyntaxError"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
        ("", "no function assay_assertion_types marked with @hookimpl"),
        (assertion("a").replace("@hookimpl", ""), "marked with @hookimpl"),
        (
            assertion("a").replace("def assay_assertion_types", "def assay_assertion_typs"),
            "there is no hook assay_assertion_typs; did you mean assay_assertion_types?",
        ),
        (
            assertion("a").replace("assay_assertion_types()", "assay_assertion_types(config)"),
            "assay_assertion_types has no argument 'config'; it takes no arguments",
        ),
        (assertion("a").replace("return [Checks]", "1 / 0"), "ZeroDivisionError"),
        (assertion("a").replace("return [Checks]", "raise SystemExit"), "failed: SystemExit"),
        (assertion("a").replace("return [Checks]", "return 5"), "not iterable"),
        (assertion("a").replace("return [Checks]", "return []"), "nothing of the name 'a'"),
        (assertion("a").replace("return [Checks]", "return None"), "nothing of the name 'a'"),
        (assertion("a").replace("return [Checks]", "return [Checks()]"), "is not a class"),
        (assertion("a").replace("return [Checks]", "return [Checks] * 2"), "several things"),
        (assertion("b"), "hands over 'b' under the name assertion.a"),
        (assertion("a").replace("    name: ClassVar[str] = 'a'", ""), "no 'name'"),
        (assertion("a").replace("ClassVar[str]", "str"), "a field 'name'"),
        (assertion("a").replace("@frozen(kw_only=True)", ""), "no attrs class"),
        (assertion("a").replace("value:", "negate:"), "a field 'negate'"),
        (assertion("a").replace("def check", "def chekc"), "no method 'check'"),
        (
            assertion("a").replace("    value:", "    needs = ()\n    value:"),
            "needs is not a method",
        ),
        (assertion("a").replace("    value:", "    Settings = 5\n    value:"), "Settings"),
    ],
)
def test_a_broken_plugin_is_one_problem_that_says_why(site: Site, source: str, cause: str) -> None:
    plugins = plugins_of(site, "assertion.a", source)
    told = the_problem(plugins)
    assert cause in told
    assert "\n" not in told
    with pytest.raises(ConfigError) as raised:
        plugins.assertion("a")
    assert cause in str(raised.value)
    assert "plugin assertion.a of assay-x 1.2" in str(raised.value)
    assert len(plugins.problems) == 1


def test_a_broken_plugin_leaves_the_others_alone(site: Site) -> None:
    site.install("bad", {"assertion.a": "mod_bad"}, {"mod_bad": "raise SystemExit"})
    plugins = plugins_of(site, "assertion.b", assertion("b"))
    assert [plugins.load(record) is None for record in plugins.records] == [True, False]


def test_strict_mode_stops_at_the_first_problem(site: Site) -> None:
    plugins = plugins_of(site, "assertion.a", "raise SystemExit", strict=True)
    with pytest.raises(ConfigError, match="--strict-plugins"):
        plugins.assertion("a")
    site.install("malformed", {"nodot": "m"})
    with pytest.raises(ConfigError, match="nodot"):
        make_plugins(path=site.path, strict=True)


def test_a_hook_of_a_later_version_can_be_optional(site: Site) -> None:
    later = "\n@hookimpl(optionalhook=True)\ndef assay_of_tomorrow(what):\n    return 1\n"
    plugins = plugins_of(site, "assertion.a", assertion("a") + later)
    assert plugins.assertion("a").__name__ == "Checks"


def test_a_word_that_is_missing_says_what_is_installed(site: Site) -> None:
    plugins = plugins_of(site, "assertion.contains", assertion("contains"))
    with pytest.raises(ConfigError) as raised:
        plugins.assertion("contians")
    assert str(raised.value) == (
        "no assertion type 'contians'; did you mean 'contains'? Installed: contains."
    )
    with pytest.raises(ConfigError) as raised:
        plugins.transport("yao")
    assert str(raised.value) == "no transport 'yao'. No transport is installed."
    with pytest.raises(ConfigError, match="no executor 'pool'"):
        plugins.origin("executor", "pool")


def test_a_word_that_clashes_says_so(site: Site) -> None:
    site.install("one", {"assertion.a": "mod_one"})
    site.install("two", {"assertion.a": "mod_two"})
    plugins = make_plugins(path=site.path)
    with pytest.raises(ConfigError, match="none of them is used") as raised:
        plugins.assertion("a")
    assert "one 1.0" in str(raised.value)
    assert "two 1.0" in str(raised.value)


def test_a_kind_without_a_hook_is_a_problem_only_when_it_is_asked(site: Site) -> None:
    plugins = plugins_of(site, "watch.w", "")
    assert plugins.problems == ()
    assert "watch" not in HOOK_OF
    assert "asks no hook" in the_problem(plugins)


CONTRACTS = {
    "loader": ("assay_loaders", "def accepts(self, s, c): ...\n    def load(self, s, c): ..."),
    "transport": (
        "assay_transports",
        "async def __aenter__(self): ...\n    async def __aexit__(self, *e): ...\n"
        "    async def info(self): ...\n    async def send(self, r): ...",
    ),
    "script": (
        "assay_script_engines",
        "suffixes = ('.x',)\n    def defines(self, f, n): ...\n    def command(self, r): ...",
    ),
    "executor": ("assay_executors", "def run(self, tasks): ..."),
    "reporter": ("assay_reporters", "suffixes = ('.x',)\n    def write(self, r, o): ..."),
}


def offering(kind: str, body: str) -> str:
    hook = CONTRACTS[kind][0]
    return f"""{HEAD}
class Thing:
    name = "thing"
    {body}

@hookimpl
def {hook}():
    return (Thing,)
"""


@pytest.mark.parametrize("kind", CONTRACTS)
def test_each_kind_hands_its_class_over(site: Site, kind: str) -> None:
    plugins = plugins_of(site, f"{kind}.thing", offering(kind, CONTRACTS[kind][1]))
    asked: Mapping[str, Callable[[], object]] = {
        "loader": lambda: plugins.loaders()[0],
        "transport": lambda: plugins.transport("thing"),
        "script": lambda: plugins.engines()[0],
        "executor": lambda: plugins.executor("thing"),
        "reporter": lambda: plugins.reporters()["thing"],
    }
    got = asked[kind]()
    assert plugins.problems == ()
    assert cast("type", got).__name__ == "Thing"


@pytest.mark.parametrize("kind", CONTRACTS)
def test_each_kind_is_held_to_its_contract(site: Site, kind: str) -> None:
    plugins = plugins_of(site, f"{kind}.thing", offering(kind, "pass"))
    told = the_problem(plugins)
    assert told.startswith("Thing has ")
    assert not plugins.loaders()
    assert not plugins.engines()
    assert not plugins.reporters()


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("def write(self, r, o): ...", "suffixes"),
        ("suffixes = ['.x']\n    def write(self, r, o): ...", "suffixes"),
        ("suffixes = ('x',)\n    def write(self, r, o): ...", "suffixes"),
        ("def result(self, r): ...", "no method 'start'"),
    ],
)
def test_reporters_are_pages_with_suffixes_or_whole_streams(
    site: Site, body: str, cause: str
) -> None:
    assert cause in the_problem(plugins_of(site, "reporter.thing", offering("reporter", body)))


COMMAND = (
    HEAD
    + """
import click

@click.command("say")
def say():
    '''Say something.'''
    click.echo("said")

@hookimpl
def assay_commands():
    return [say]
"""
)


def test_a_command_is_none_when_there_is_none_and_an_error_when_it_is_broken(site: Site) -> None:
    plugins = plugins_of(site, "command.say", COMMAND)
    command = plugins.command("say")
    assert command is not None
    assert command.name == "say"
    assert [command.name for command in plugins.commands()] == ["say"]
    assert plugins.command("sing") is None
    without = make_plugins(["no:command.say"], path=site.path)
    assert without.commands() == []
    with pytest.raises(ConfigError, match=r"-p no:command\.say takes it out"):
        without.command("say")


def test_a_command_must_be_one_of_click(site: Site) -> None:
    plugins = plugins_of(site, "command.say", COMMAND.replace("[say]", "[print]"))
    assert "not a click command" in the_problem(plugins)


AGENT = (
    HEAD
    + """
@hookimpl
def assay_describe_folder(folder):
    {body}
"""
)


def test_resolvers_are_asked_in_the_order_of_names_and_may_say_nothing(
    site: Site, tmp_path: Path
) -> None:
    for word, body in {
        "b": "return AgentClue(id=str(folder))",
        "a": "return AgentClue(id='a')",
        "c": "return None",
    }.items():
        site.install(f"dist_{word}", {f"agent.{word}": f"mod_agent_{word}"}, {
            f"mod_agent_{word}": AGENT.format(body=body)
        })  # fmt: skip
    plugins = make_plugins(path=site.path)
    assert plugins.describe_folder(tmp_path) == [
        ("a", AgentClue(id="a")),
        ("b", AgentClue(id=str(tmp_path))),
    ]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("raise OSError('no disk')", "OSError: no disk"),
        ("raise SystemExit", "SystemExit"),
        ("return {'id': 'x'}", "type dict instead of an AgentClue"),
    ],
)
def test_a_resolver_that_fails_ends_the_run_by_name(site: Site, body: str, cause: str) -> None:
    plugins = plugins_of(site, "agent.a", AGENT.format(body=body))
    with pytest.raises(RunError, match=r"plugin agent\.a of assay-x 1\.2") as raised:
        plugins.describe_folder(Path())
    assert cause in str(raised.value)
    assert "-p no:assay-x:agent.a" in str(raised.value)


def test_what_a_resolver_says_on_purpose_stays_as_it_is(site: Site) -> None:
    body = "from assay import ConfigError; raise ConfigError('package.yao:3: bad')"
    plugins = plugins_of(site, "agent.a", AGENT.format(body=body))
    with pytest.raises(ConfigError, match=r"^package\.yao:3: bad$"):
        plugins.describe_folder(Path())


CASES = tuple(Case(id=name, messages=()) for name in "abc")

SELECT = (
    HEAD
    + """
@hookimpl
def assay_select_cases({arguments}):
    {body}
"""
)


def select(site: Site, word: str, body: str, arguments: str = "cases, settings") -> None:
    module = f"mod_select_{word}"
    source = SELECT.format(arguments=arguments, body=body)
    site.install(f"dist_{word}", {f"select.{word}": module}, {module: source})


def test_selectors_are_chained_in_the_order_of_names(site: Site) -> None:
    select(site, "b", "return reversed(list(cases))", "cases")
    select(site, "a", "return (case for case in cases if case.id != settings['drop'])")
    plugins = make_plugins(path=site.path)
    asked: list[str] = []

    def settings(word: str) -> Mapping[str, Any]:
        asked.append(word)
        return {"drop": "b"}

    assert [case.id for case in plugins.select(iter(CASES), settings)] == ["c", "a"]
    assert asked == ["a", "b"]


def test_without_selectors_the_cases_go_through(site: Site) -> None:
    plugins = make_plugins(path=site.path)
    cases = iter(CASES)
    assert plugins.select(cases, no_settings) is cases


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("1 / 0", "failed when it was asked for cases: ZeroDivisionError"),
        ("yield next(cases); 1 / 0", "failed while it gave cases: ZeroDivisionError"),
        ("return None", "gave no cases"),
        ("return 5", "type int instead of cases"),
        ("return ['a']", "type str among its cases"),
    ],
)
def test_a_selector_that_fails_ends_the_run_by_name(site: Site, body: str, cause: str) -> None:
    select(site, "a", body)
    plugins = make_plugins(path=site.path)
    with pytest.raises(RunError, match=r"plugin select\.a of dist-a 1\.0") as raised:
        list(plugins.select(iter(CASES), no_settings))
    assert cause in str(raised.value)


WRAP = (
    HEAD
    + """
class Wrap:
    def __init__(self, inner, word): self.inner, self.word = inner, word
    async def __aenter__(self): return self
    async def __aexit__(self, *error): ...
    async def info(self): ...
    async def send(self, request): ...

@hookimpl
def assay_wrap_transport({arguments}):
    {body}
"""
)


class Plain:
    """A transport that need not do anything."""

    async def __aenter__(self) -> Plain:
        return self

    async def __aexit__(self, *error: object) -> None: ...

    async def info(self) -> None: ...

    async def send(self, request: object) -> Any: ...


AGENT_REF = AgentRef(transport="echo", target="", name="me")
CONTEXT = WrapContext(cwd=Path.cwd())


def wrap(site: Site, word: str, body: str, arguments: str = "transport") -> None:
    module = f"mod_wrap_{word}"
    source = WRAP.format(arguments=arguments, body=body)
    site.install(f"dist_{word}", {f"wrap.{word}": module}, {module: source})


def test_wraps_are_chained_in_the_order_of_names(site: Site) -> None:
    wrap(
        site,
        "b",
        "return Wrap(transport, settings['of'] + agent.name)",
        "agent, transport, settings",
    )
    wrap(site, "a", "return Wrap(transport, 'a')")
    wrap(site, "c", "return transport")
    plain = cast("Transport", Plain())
    outer: Any = make_plugins(path=site.path).wrap(
        plain, AGENT_REF, lambda word: {"of": word}, CONTEXT
    )
    assert outer.word == "bme"
    assert outer.inner.word == "a"
    assert outer.inner.inner is plain


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("1 / 0", "failed when it was put around me: ZeroDivisionError"),
        ("return None", "gave no transport"),
        ("return 5", "without __aenter__, __aexit__, info, send"),
    ],
)
def test_a_wrap_that_fails_ends_the_run_by_name(site: Site, body: str, cause: str) -> None:
    wrap(site, "a", body)
    with pytest.raises(RunError, match=r"plugin wrap\.a of dist-a 1\.0") as raised:
        make_plugins(path=site.path).wrap(
            cast("Transport", Plain()), AGENT_REF, no_settings, CONTEXT
        )
    assert cause in str(raised.value)


def test_a_wrap_that_cannot_be_imported_is_a_problem_and_the_run_goes_on(site: Site) -> None:
    plugins = plugins_of(site, "wrap.a", "import no_such_module_anywhere")
    plain = cast("Transport", Plain())
    assert plugins.wrap(plain, AGENT_REF, no_settings, CONTEXT) is plain
    assert len(plugins.problems) == 1
