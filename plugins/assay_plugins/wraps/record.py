"""The ``record`` wrap: writes down what agents are asked and answer."""

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
    """Record to the file of ``--record``; without it, stand aside."""
    if not settings:
        return transport
    # Runs without --record need not wait for its import.
    from assay_plugins.wraps._recording import recording

    return recording(transport, agent, settings, context)
