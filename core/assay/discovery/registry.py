"""Plugins as pluggy holds them: registered, checked against the hookspecs, asked one by one."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final

import pluggy

from assay import hookspecs
from assay.discovery.loading import BadPlugin
from assay.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

HOOK_OF: Final[Mapping[str, str]] = {
    "loader": "assay_loaders",
    "agent": "assay_describe_folder",
    "transport": "assay_transports",
    "wrap": "assay_wrap_transport",
    "select": "assay_select_cases",
    "assertion": "assay_assertion_types",
    "script": "assay_script_engines",
    "executor": "assay_executors",
    "reporter": "assay_reporters",
    "command": "assay_commands",
}
"""The hook that is asked of each kind."""

_PREFIX = f"{hookspecs.PROJECT}_"


class Registry:
    """The plugins that have been imported. Wraps pluggy's manager, whose calls are untyped."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._specs = tuple(name for name in dir(hookspecs) if name.startswith(_PREFIX))

    def register(self, plugin: object, name: str) -> None:
        """Register a plugin; one that several entry points name is registered once.

        Raises:
            BadPlugin: It implements a hook that does not exist, or takes other arguments.
        """
        if self._manager.is_registered(plugin):
            return
        try:
            self._manager.register(plugin, name)
        except pluggy.PluginValidationError as error:
            raise BadPlugin(self._signature_fault(plugin) or _flat(error)) from error
        unknown = self._unknown_hooks(plugin)
        if unknown:
            self._manager.unregister(plugin)
            close = did_you_mean(unknown[0], self._specs)
            hint = f"did you mean {close}?" if close else f"the hooks are {', '.join(self._specs)}"
            raise BadPlugin(f"there is no hook {unknown[0]}; {hint}")

    def implements(self, plugin: object, hook: str) -> bool:
        """Whether a registered plugin answers a hook."""
        callers = self._manager.get_hookcallers(plugin) or []
        return any(caller.name == hook for caller in callers)

    def ask(self, plugin: object, hook: str, **arguments: object) -> list[object]:
        """Ask one plugin alone, so that the answer and any error are its own.

        Returns:
            What it answered: one value, or none for None.
        """
        others = [other for other in self._manager.get_plugins() if other is not plugin]
        # None of our hooks is of the kind that gives one answer instead of a list.
        answers: list[object] = self._manager.subset_hook_caller(hook, others)(**arguments)
        return answers

    def _unknown_hooks(self, plugin: object) -> list[str]:
        return sorted(
            caller.name
            for caller in self._manager.get_hookcallers(plugin) or []
            if not caller.has_spec()
            and any(
                impl.plugin is plugin and not impl.optionalhook for impl in caller.get_hookimpls()
            )
        )

    def _signature_fault(self, plugin: object) -> str | None:
        """Say in our words which argument of which hook is wrong."""
        for hook in self._specs:
            function = getattr(plugin, hook, None)
            if not inspect.isroutine(function):
                continue
            known = inspect.signature(getattr(hookspecs, hook)).parameters
            for argument in inspect.signature(function).parameters:
                if argument not in known:
                    may = f"it may take {', '.join(known)}" if known else "it takes no arguments"
                    return f"{hook} has no argument {argument!r}; {may}"
        return None


def _flat(error: Exception) -> str:
    return " ".join(str(error).split())
