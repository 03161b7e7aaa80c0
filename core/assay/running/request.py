"""From a case and the settings of its suite to the request of an attempt."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import attrs

from assay.jsonvalue import is_object
from assay.model.case import Environment
from assay.model.exchange import Origin, Request

if TYPE_CHECKING:
    from assay.model.case import Case
    from assay.model.files import FileAccess
    from assay.settings.layers import SuiteSettings


def environment_of(settings: SuiteSettings, case: Case | None = None) -> Environment:
    """Give the environment of a case, or of its suite.

    For user and team, flags and variables beat the case, which beats files and defaults.
    """
    user = settings.user_override or (case and case.user) or settings.user
    team = settings.team_override or (case and case.team) or settings.team
    return Environment(user_id=user, team_id=team, locale=settings.locale)


def request_of(
    case: Case,
    environment: Environment,
    connector: str | None,
    origin: Origin,
    files: FileAccess,
) -> Request:
    """Make the request of an attempt.

    Args:
        case: What is asked.
        environment: Who asks.
        connector: What ``-c`` says: it beats ``options.connector`` of the case.
        origin: Which attempt it is.
        files: Reads the files that the case names.
    """
    metadata = case.metadata
    own = case.options.get("metadata")
    if is_object(own):
        metadata = {**metadata, **own}
    chosen = connector or case.options.get("connector")
    return Request(
        messages=case.messages,
        environment=environment,
        chat_id=new_chat_id(),
        connector=chosen if isinstance(chosen, str) else None,
        metadata=metadata,
        options=case.options,
        origin=origin,
        files=files,
    )


def new_chat_id() -> str:
    """Make an id for a conversation of its own."""
    return f"assay-{secrets.token_hex(16)}"


def with_case(environment: Environment, settings: SuiteSettings, case: Case) -> Environment:
    """Give the suite's environment as it is for a case; the same object where nothing differs."""
    if case.user is None and case.team is None:
        return environment
    own = environment_of(settings, case)
    return attrs.evolve(environment, user_id=own.user_id, team_id=own.team_id)
