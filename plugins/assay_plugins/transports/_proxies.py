"""Which proxy an address is asked through: by ``HTTP_PROXY`` and its kin, read as httpx does."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.request import getproxies

if TYPE_CHECKING:
    import httpx


def proxy_of(url: httpx.URL) -> str | None:
    """Give the proxy that an address is asked through; None when it is asked directly.

    ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` count, in either case of
    letters, and what the system says where it says it (macOS, Windows).
    """
    known = getproxies()
    proxy = known.get(url.scheme) or known.get("all")
    if not proxy:
        return None
    for entry in known.get("no", "").split(","):
        if entry.strip() == "*" or (entry.strip() and _matches(entry.strip(), url)):
            return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _matches(entry: str, url: httpx.URL) -> bool:
    """Whether an entry of ``NO_PROXY`` is for an address.

    ``example.com`` is for itself and all below it, ``.example.com`` for those below, an IP
    address and ``localhost`` for themselves; each may have a scheme before and a port behind.
    """
    scheme, _, rest = entry.rpartition("://")
    if scheme and scheme not in ("all", url.scheme):
        return False
    host, port = _split(rest.lower())
    if port is not None and port != (url.port or {"http": 80, "https": 443}.get(url.scheme)):
        return False
    if scheme or host == "localhost" or _is_ip(host):
        return url.host == host
    return url.host.endswith(f".{host.lstrip('.')}") or url.host == host


def _split(text: str) -> tuple[str, int | None]:
    if _is_ip(text):
        return text, None
    match = re.fullmatch(r"\[?(.*?)\]?(?::([0-9]{1,5}))?", text)
    if match is None:
        return text, None
    return match[1], int(match[2]) if match[2] else None


def _is_ip(text: str) -> bool:
    try:
        ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True
