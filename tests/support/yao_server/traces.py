"""What a server that keeps traces knows of a turn when it is over (§2.7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from yao_server.dsl import now_ms
from yao_server.gojson import Object

COMPLETION = "agent_completion"


@dataclass(kw_only=True)
class Trace:
    """The nodes and events of one turn."""

    id: str
    user_id: str
    team_id: str
    lag: int = 0
    """How often it is read before its end has been written."""
    status: str = "running"
    _nodes: dict[str, Object] = field(default_factory=dict[str, Object])
    _events: list[Object] = field(default_factory=list[Object])

    def start(self, kind: str, label: str, given: object, parent: str = "") -> str:
        """Start a node and give its id."""
        node_id = f"N{len(self._nodes) + 1}"
        node: Object = {
            "id": node_id,
            "parent_ids": [parent] if parent else [],
            "label": label,
            "type": kind,
            "status": "running",
            "created_at": now_ms(),
            "input": given,
        }
        self._nodes[node_id] = node
        self._add("node_start", node_id, {"node": dict(node)})
        return node_id

    def start_together(self, kind: str, labels: list[str], parent: str) -> list[str]:
        """Start parallel nodes, which one event tells of."""
        before = len(self._events)
        ids = [self.start(kind, label, None, parent) for label in labels]
        started = [dict(self._nodes[node_id]) for node_id in ids]
        del self._events[before:]
        self._add("node_start", "", {"nodes": started})
        return ids

    def complete(self, node_id: str, output: object) -> None:
        """End a node with what it gave."""
        self._nodes[node_id] |= {"status": "completed", "output": output, "ended_at": now_ms()}
        self._add("node_complete", node_id, {"status": "success", "output": output})

    def fail(self, node_id: str, error: str) -> None:
        """End a node with an error."""
        self._nodes[node_id] |= {"status": "failed", "error": error, "ended_at": now_ms()}
        self._add("node_failed", node_id, {"status": "failed", "error": error})

    def read(self) -> None:
        """Count a reading: the end is written a little later than the answer ends."""
        self.lag = max(0, self.lag - 1)

    def nodes(self) -> list[Object]:
        """Give all nodes without input and output."""
        return [
            {name: value for name, value in node.items() if name not in ("input", "output")}
            for node in self._visible()
        ]

    def node(self, node_id: str) -> Object | None:
        """Give one node as a whole."""
        return next((node for node in self._visible() if node["id"] == node_id), None)

    def events(self) -> list[Object]:
        """Give what happened, in order."""
        seen = {node["id"] for node in self._visible()}
        return [event for event in self._events if event["node_id"] in seen | {""}]

    def info(self) -> Object:
        """Give the record of the trace."""
        return {"id": self.id, "status": self.status, "user_id": self.user_id}

    def _visible(self) -> list[Object]:
        return [node for node in self._nodes.values() if not self.lag or node["type"] != COMPLETION]

    def _add(self, kind: str, node_id: str, data: Object) -> None:
        event: Object = {"type": kind, "node_id": node_id, "timestamp": now_ms()}
        self._events.append({**event, "trace_id": self.id, "data": data})
