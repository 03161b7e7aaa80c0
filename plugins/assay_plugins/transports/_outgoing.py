"""A request as it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import frozen

from assay_plugins.transports._wire_errors import NotSendable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay_plugins.transports._address import Address

_WITH_LENGTH: Final = ("POST", "PUT", "PATCH")
"""Methods whose requests say that they have no body."""


@frozen
class Outgoing:
    """A request."""

    method: str
    address: Address
    headers: Mapping[str, str]
    content: bytes | None = None

    def written(self) -> bytes:
        """Give its bytes.

        Raises:
            NotSendable: A header would break out of its line.
        """
        lines = [f"{self.method} {self.address.target} HTTP/1.1"]
        if not any(name.lower() == "host" for name in self.headers):
            lines.append(f"Host: {self.address.authority}")
        for name, value in self.headers.items():
            if "\n" in value or "\r" in value or "\0" in value:
                raise NotSendable(f"the header {name} holds a line break")
            lines.append(f"{name}: {value}")
        content = self.content
        if content is not None:
            lines.append(f"Content-Length: {len(content)}")
        elif self.method in _WITH_LENGTH:
            lines.append("Content-Length: 0")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + (content or b"")
