from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner, Result

from assay.cli import main

if TYPE_CHECKING:
    from tests.unit.conftest import Site


def assay(*args: str) -> Result:
    return CliRunner().invoke(main, args, prog_name="assay")


def words_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_lists_kind_word_distribution_version_target_and_state(site: Site) -> None:
    site.install("assay_x", {"assertion.zzz": "mod_zzz:thing"}, version="1.2")
    result = assay("plugins")
    assert result.exit_code == 0
    rows = words_of(result.stdout)
    assert rows[0] == ["kind", "word", "distribution", "version", "target", "state"]
    assert ["assertion", "zzz", "assay-x", "1.2", "mod_zzz:thing", "ok"] in rows
    assert rows[1:] == sorted(rows[1:])


def test_problems_that_are_known_without_importing_are_listed(site: Site) -> None:
    site.install("one", {"assertion.a": "m", "nodot": "m"})
    site.install("two", {"assertion.a": "m"})
    site.install("stranger", {"assertion.equals": "m"})
    result = assay("plugins")
    assert result.exit_code == 0
    rows = words_of(result.stdout)
    assert [row[2] for row in rows if row[-1] == "problem"] == ["one", "two", "stranger"]
    problems = [line for line in result.stdout.splitlines() if line.startswith("Problem: ")]
    assert len(problems) == 3
    assert result.stderr == ""


def test_check_imports_and_judges_each_and_exits_2(site: Site) -> None:
    site.install("bad", {"assertion.bad": "mod_bad"}, {"mod_bad": "raise SystemExit(0)"})
    assert words_of(assay("plugins").stdout).count(
        ["assertion", "bad", "bad", "1.0", "mod_bad", "ok"]
    )
    result = assay("plugins", "--check")
    assert result.exit_code == 2
    assert ["assertion", "bad", "bad", "1.0", "mod_bad", "problem"] in words_of(result.stdout)
    assert "Problem: plugin assertion.bad of bad 1.0: mod_bad cannot be imported" in result.stdout
    without = assay("plugins", "--check", "-p", "no:assertion.bad")
    assert "of bad 1.0" not in without.stdout


def test_the_built_in_plugins_pass_the_check() -> None:
    result = assay("plugins", "--check")
    assert result.exit_code == 0, result.stdout


def test_json_holds_the_same(site: Site) -> None:
    site.install("bad", {"assertion.bad": "mod_bad"}, {"mod_bad": "raise SystemExit(0)"})
    result = assay("plugins", "--check", "--json", "-p", "no:assertion.type")
    assert result.exit_code == 2
    assert result.stderr == ""
    told = json.loads(result.stdout)
    states = {f"{row['kind']}.{row['word']}": row["state"] for row in told["plugins"]}
    assert states["assertion.bad"] == "problem"
    assert states["assertion.type"] == "switched off"
    assert states["assertion.equals"] == "ok"
    (problem,) = [each for each in told["problems"] if each["distribution"] == "bad"]
    assert set(problem) == {"plugin", "distribution", "version", "cause"}
    assert problem["plugin"] == "assertion.bad"


def test_what_a_plugin_prints_when_it_is_imported_stays_out_of_the_list(site: Site) -> None:
    source = "print('noise')"
    site.install("noisy", {"assertion.noisy": "mod_noisy"}, {"mod_noisy": source})
    json.loads(assay("plugins", "--check", "--json").stdout)


def test_hostile_names_are_escaped(site: Site) -> None:
    site.install("evil", {"assertion.evil": "mod_evil"}, version="1\x1b[31m")
    result = assay("plugins")
    assert "\x1b" not in result.stdout
    assert "assertion" in result.stdout
