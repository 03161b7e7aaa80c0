"""A worker in another process: a run writes a blueprint, and an equal worker is made from it.

The blueprint is JSON. It names files of the run by their paths, so the other process must see the
same files; it holds no secret: settings that name variables are read from the variables there.
What attempts of such a worker tell holds none either.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from attrs import frozen

from assay.assembly import Assembly
from assay.codec.lines import attempt_from_json, to_json
from assay.discovery.manager import make_plugins
from assay.equipment import Equipment, SettingsHome
from assay.errors import ConfigError
from assay.model.case import AgentRef
from assay.running.work import SuiteSpec, Workshop
from assay.scripts.pool import Pool
from assay.settings.assignment import parse_assignment
from assay.settings.files import SettingsFiles
from assay.settings.model import SuiteSettings  # noqa: TC001 - structured at run time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cattrs import Converter

    from assay.cases.plan import Plan
    from assay.contracts import Pace
    from assay.model.result import Attempt


@frozen(kw_only=True)
class SuiteBlueprint:
    """What another process is told of a suite."""

    key: str
    folder: Path
    agent: AgentRef
    settings: SuiteSettings


@frozen(kw_only=True)
class Blueprint:
    """What another process is told of a run."""

    cwd: Path
    parallel: int = 1
    """How many requests to one agent the worker may have under way."""
    switches: tuple[str, ...] = ()
    """The values of ``-p``."""
    sets: tuple[str, ...] = ()
    """The values of ``--set``."""
    suites: tuple[SuiteBlueprint, ...] = ()


def blueprint_of(plan: Plan, equipment: Equipment, parallel: int) -> dict[str, Any]:
    """Write the blueprint of a run as JSON.

    Raises:
        ConfigError: An agent is a function of this process, or a secret is given by ``--set``.
    """
    home = equipment.home
    for given in home.sets:
        if equipment.redact(given.text) != given.text:
            raise ConfigError(
                f"{given.label}: a secret does not go to other processes; name a variable that"
                f" holds it there: {given.label}='$NAME'"
            )
    for planned in plan.suites:
        if planned.agent.function is not None:
            raise ConfigError(
                f"agent {planned.agent.name!r} is a function of this process, which another one"
                " does not have; name it as python:FILE.py:FUNCTION"
            )
    blueprint = Blueprint(
        cwd=home.cwd,
        parallel=parallel,
        switches=equipment.plugins.switches,
        sets=tuple(f"{given.key}={given.text}" for given in home.sets),
        suites=tuple(
            SuiteBlueprint(
                key=planned.suite.key,
                folder=planned.suite.folder or home.cwd,
                agent=planned.agent,
                settings=planned.settings,
            )
            for planned in plan.suites
        ),
    )
    return as_json(blueprint)


def as_json(blueprint: Blueprint) -> dict[str, Any]:
    """Write a blueprint as ``worker`` reads it."""
    return cast("dict[str, Any]", _converter().unstructure(blueprint))


def worker(
    blueprint: Mapping[str, object],
    environ: Mapping[str, str] | None = None,
    *,
    pace: Pace | None = None,
) -> Workshop:
    """Make the worker that a blueprint describes: an async context manager of a ``PacedWorker``.

    Args:
        blueprint: ``ExecutorContext.blueprint``, perhaps after a way through JSON.
        environ: The variables; by default those of this process.
        pace: Keeps ceilings and pauses together with other workers of the run; None: this one
            keeps them alone.

    Raises:
        ConfigError: A plugin that it needs is missing here, or a setting is wrong.
    """
    told: Blueprint = _converter().structure(blueprint, Blueprint)
    home = SettingsHome(
        sets=[parse_assignment(text) for text in told.sets],
        environ=os.environ if environ is None else environ,
        files=SettingsFiles(told.cwd),
        cwd=told.cwd,
    )
    equipment = Equipment(make_plugins(told.switches), home)
    assembly = Assembly(equipment)
    specs = [
        SuiteSpec(
            key=suite.key,
            agent=suite.agent,
            settings=suite.settings,
            sources=home.sources(suite.folder),
            reader=assembly.reader(suite.settings),
            needs=assembly.needs(suite.folder, suite.agent, suite.settings),
            files=assembly.files(suite.folder, suite.agent, suite.settings),
        )
        for suite in told.suites
    ]
    folders: Sequence[Path] = [suite.folder for suite in told.suites]
    return Workshop(
        specs,
        lambda agent, number: equipment.transport(agent, folders[number]),
        Pool(assembly.engines_made),
        told.parallel,
        pace=pace,
        masked=lambda attempt: _masked(attempt, equipment),
    )


def _masked(attempt: Attempt, equipment: Equipment) -> Attempt:
    """Replace the secrets of this process in an attempt: they may differ from those of the run."""
    line = to_json(attempt)
    redacted = equipment.redact(line)
    return attempt if redacted is line else attempt_from_json(cast("dict[str, object]", redacted))


def _converter() -> Converter:
    from cattrs import Converter
    from cattrs.gen import make_dict_unstructure_fn, override

    converter = Converter()
    converter.register_unstructure_hook(Path, str)
    converter.register_structure_hook(Path, lambda value, _: Path(value))
    without_function = make_dict_unstructure_fn(AgentRef, converter, function=override(omit=True))
    converter.register_unstructure_hook(AgentRef, without_function)
    return converter
