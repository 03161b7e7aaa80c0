"""The reference of plugins is complete: hooks, contracts and public names are as in the code."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module

import attrs
import pytest

import assay
from assay import contracts, hookspecs
from assay.discovery.finder import find
from assay.discovery.records import KINDS, OWN
from assay.model import outcome
from doc_pages import page

RECORDS = [record for record in find().records if record.distribution == OWN]


def signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Write a function without its docstring and body."""
    plain = ast.parse(ast.unparse(function)).body[0]
    assert isinstance(plain, ast.FunctionDef | ast.AsyncFunctionDef)
    plain.body = [ast.Expr(ast.Constant(...))]
    plain.decorator_list = [
        each for each in plain.decorator_list if ast.unparse(each) == "classmethod"
    ]
    return ast.unparse(plain)


HOOKS = {
    node.name: node
    for node in ast.parse(inspect.getsource(hookspecs)).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("assay_")
}


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_has_its_heading_and_signature(hook: str) -> None:
    block = page("plugins")[hook].blocks[0]

    (shown,) = ast.parse(block.text).body

    assert isinstance(shown, ast.FunctionDef)
    assert ast.unparse(shown) == signature(HOOKS[hook])


def protocols() -> dict[str, ast.ClassDef]:
    nodes = [
        *ast.parse(inspect.getsource(contracts)).body,
        *ast.parse(inspect.getsource(outcome)).body,
    ]
    return {
        node.name: node
        for node in nodes
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)
    }


def members(node: ast.ClassDef) -> list[str]:
    """Give the class variables and methods of a class, without what explains them."""
    told: list[str] = []
    for each in node.body:
        if isinstance(each, ast.AnnAssign):
            told.append(ast.unparse(each))
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            told.append(signature(each))
    return told


@pytest.mark.parametrize("name", protocols())
def test_a_contract_is_shown(name: str) -> None:
    shown = [
        node
        for block in page("plugins").blocks
        if block.language == "python"
        for node in ast.parse(block.text).body
        if isinstance(node, ast.ClassDef) and node.name == name
    ]

    assert [members(node) for node in shown] == [members(protocols()[name])]


@pytest.mark.parametrize(
    "cls",
    [
        assay.LoadContext,
        assay.ReportContext,
        assay.ExecutorContext,
        assay.WrapContext,
        assay.AgentClue,
        assay.Outcome,
    ],
    ids=lambda cls: cls.__name__,
)
def test_what_plugins_are_handed_is_told(cls: type) -> None:
    told = " ".join(page("plugins").codes)

    assert [each.name for each in attrs.fields(cls) if each.name not in told] == []


def test_the_built_in_plugins_are_listed() -> None:
    table = page("plugins").sections[1].tables[1]

    told = {f"{row[0].codes[0]}.{word}" for row in table.rows for word in row[1].codes}

    assert told == {record.name for record in RECORDS}


def test_each_kind_of_plugins_has_a_hook() -> None:
    rows = page("plugins").sections[1].tables[0].rows
    kinds = {row[0].codes[0]: row[2].codes[0] for row in rows}

    assert set(kinds.values()) == set(HOOKS)
    # Nothing asks plugins that watch yet.
    assert set(kinds) == set(KINDS) - {"watch"}


@pytest.mark.parametrize("name", assay.__all__)
def test_a_public_name_is_told(name: str) -> None:
    assert name in page("plugins")["Public names"].codes


def test_no_name_is_told_that_is_not_public() -> None:
    tables = page("plugins")["Public names"].tables
    told = {*tables[0].column(0), *tables[1].column(1)}

    assert told == set(assay.__all__)


def public_modules() -> list[str]:
    return page("plugins")["Public names"].tables[2].column(0)


def test_the_public_modules_are_those_of_the_package() -> None:
    said = {word.strip("`,.") for word in (assay.__doc__ or "").split() if word.startswith("``")}

    assert {name for name in said if name.startswith("assay.")} <= set(public_modules())


@pytest.mark.parametrize("name", public_modules())
def test_a_public_module_is_told(name: str) -> None:
    module = import_module(name)
    defined = [
        each
        for each, value in vars(module).items()
        if not each.startswith("_") and getattr(value, "__module__", "") == name
    ]
    names = getattr(module, "__all__", defined)
    section = page("plugins")["assay.testing" if name == "assay.testing" else "Public names"]
    told = {code.partition("(")[0] for code in section.codes}

    assert names
    assert [each for each in names if each not in told] == []
