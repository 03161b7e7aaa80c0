from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.discovery.finder import find
from assay.discovery.records import KINDS, OWN
from assay.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.conftest import Site


def test_a_record_tells_what_and_whose(site: Site) -> None:
    site.install("assay_x", {"transport.x-ray_2": "pkg.mod : thing.part [extra]"}, version="1.2")
    (record,) = find(path=site.path).records
    assert (record.kind, record.word, record.name) == ("transport", "x-ray_2", "transport.x-ray_2")
    assert record.target == "pkg.mod:thing.part"
    assert record.origin == "assay-x 1.2"
    assert record.switch == "-p no:assay-x:transport.x-ray_2"


def test_records_come_in_the_order_of_names_whatever_the_files_say(site: Site) -> None:
    site.install("b", {"wrap.b": "m", "agent.z": "m"})
    site.install("c", {"agent.a": "m", "wrap.a": "m"})
    found = find(path=site.path)
    assert [record.name for record in found.records] == ["agent.a", "agent.z", "wrap.a", "wrap.b"]


def test_every_kind_is_known(site: Site) -> None:
    site.install("x", {f"{kind}.word": "m" for kind in KINDS})
    found = find(path=site.path)
    assert {record.kind for record in found.records} == set(KINDS)
    assert not list(found.problems)


@pytest.mark.parametrize(
    ("name", "target", "cause"),
    [
        ("nodot", "m", "form KIND.WORD"),
        ("assertion.", "m", "form KIND.WORD"),
        ("assertion.two words", "m", "form KIND.WORD"),
        ("assertion.a.b", "m", "form KIND.WORD"),
        ("assertion.1st", "m", "form KIND.WORD"),
        ("assertion.ü", "m", "form KIND.WORD"),
        ("asertion.a", "m", "no kind 'asertion' of plugins; did you mean 'assertion'?"),
        ("xyz.a", "m", "no kind 'xyz' of plugins; the kinds are agent, assertion, "),
        ("transport.c", "m", "two letters"),
        ("assertion.a", "", "MODULE"),
        ("assertion.a", "not-a-module", "MODULE"),
        ("assertion.a", "m:", "MODULE"),
    ],
)
def test_a_malformed_entry_point_is_one_problem(
    site: Site, name: str, target: str, cause: str
) -> None:
    site.install("assay_x", {name: target, "assertion.good": "m"}, version="1.2")
    found = find(path=site.path)
    assert [record.word for record in found.records] == ["good"]
    (problem,) = found.problems
    assert (problem.plugin, problem.distribution, problem.version) == (name, "assay-x", "1.2")
    assert cause in problem.cause
    assert str(problem) == f"plugin {name} of assay-x 1.2: {problem.cause}"


def test_our_own_distribution_keeps_its_name_and_the_problem_names_both(site: Site) -> None:
    site.install(OWN, {"assertion.a": "ours"}, version="0.1")
    site.install("a_first", {"assertion.a": "theirs"}, version="9")
    found = find(path=site.path)
    assert [record.target for record in found.records] == ["ours"]
    (problem,) = found.problems
    assert problem.distribution == "a-first"
    assert "assay 0.1" in problem.cause
    assert "-p no:a-first:assertion.a" in problem.cause


def test_between_strangers_neither_is_used_and_one_problem_names_both(site: Site) -> None:
    site.install("one", {"assertion.a": "m"})
    site.install("two", {"assertion.a": "m", "assertion.b": "m"})
    found = find(path=site.path)
    assert [record.name for record in found.records] == ["assertion.b"]
    (problem,) = found.problems
    assert "one 1.0" in str(problem)
    assert "two 1.0" in str(problem)
    assert [record.distribution for record, _ in found.rejected] == ["one", "two"]


def test_a_name_that_one_distribution_offers_twice_is_a_problem(site: Site) -> None:
    site.install("one", "[assay]\nassertion.a = m\nassertion.a = n\n")
    found = find(path=site.path)
    assert found.records == ()
    (problem,) = found.problems
    assert "several times" in problem.cause


def test_an_entry_point_that_is_written_twice_alike_is_one(site: Site) -> None:
    site.install("one", "[assay]\nassertion.a = m\nassertion.a = m\n")
    found = find(path=site.path)
    assert len(found.records) == 1
    assert not list(found.problems)


@pytest.mark.parametrize("word", ["test", "plugins"])
def test_no_plugin_takes_the_name_of_a_command_of_core(site: Site, word: str) -> None:
    site.install("x", {f"command.{word}": "m"})
    found = find(path=site.path)
    assert found.records == ()
    (problem,) = found.problems
    assert f"assay itself has the command '{word}'" in problem.cause


def test_a_switch_takes_a_plugin_out_of_all_distributions(site: Site) -> None:
    site.install("one", {"assertion.a": "m"})
    site.install("two", {"assertion.a": "m", "assertion.b": "m"})
    found = find(["no:assertion.a"], site.path)
    assert [record.name for record in found.records] == ["assertion.b"]
    assert not list(found.problems)
    assert [(record.origin, switch) for record, switch in found.disabled] == [
        ("one 1.0", "no:assertion.a"),
        ("two 1.0", "no:assertion.a"),
    ]


def test_a_switch_for_one_distribution_settles_a_clash(site: Site) -> None:
    site.install("one", {"assertion.a": "m"})
    site.install("two_x", {"assertion.a": "m"})
    found = find(["no:Two.X:assertion.a"], site.path)
    assert [record.distribution for record in found.records] == ["one"]
    assert not list(found.problems)


def test_a_stranger_can_replace_what_is_switched_off_of_ours(site: Site) -> None:
    site.install(OWN, {"assertion.a": "ours"})
    site.install("other", {"assertion.a": "theirs"})
    found = find([f"no:{OWN}:assertion.a"], site.path)
    assert [record.target for record in found.records] == ["theirs"]


def test_a_malformed_entry_point_can_be_switched_off(site: Site) -> None:
    site.install("x", {"nodot": "m"})
    assert not list(find(["no:x:nodot"], site.path).problems)


@pytest.mark.parametrize(
    "value", ["assertion.a", "no:", "no::assertion.a", "yes:assertion.a", "", "no:x:"]
)
def test_a_switch_of_another_form_says_the_form(site: Site, value: str) -> None:
    site.install("x", {"assertion.a": "m"})
    with pytest.raises(ConfigError, match=r"no:KIND\.WORD") as raised:
        find([value], site.path)
    assert str(raised.value).startswith(f"-p {value}:")


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("no:assertion.contians", "'no:assertion.contains'"),
        ("no:assay-y:assertion.contains", "'no:assay-x:assertion.contains'"),
    ],
)
def test_a_switch_that_hits_nothing_says_what_may_have_been_meant(
    site: Site, value: str, meant: str
) -> None:
    site.install("assay_x", {"assertion.contains": "m"})
    with pytest.raises(ConfigError) as raised:
        find([value], site.path)
    assert f"-p {value}: no such plugin is installed" in str(raised.value)
    assert meant in str(raised.value)
