"""The ``replay`` wrap: answers from a record instead of asking agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from assay import AgentRef, Transport, WrapContext


@hookimpl
def assay_wrap_transport(
    transport: Transport, agent: AgentRef, settings: Mapping[str, Any], context: WrapContext
) -> Transport:
    """Replay the file of ``--replay``; without it, stand aside."""
    if not settings:
        return transport
    # Runs without --replay need not wait for its import.
    from assay_plugins.wraps._replaying import replaying

    return replaying(transport, agent, settings, context)
