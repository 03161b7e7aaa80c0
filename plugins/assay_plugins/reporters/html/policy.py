"""The content policy of the page: what a browser may run and load, told by hashes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256


def content_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Allow these inline texts and nothing else: no other code, no network, no form, no base.

    Images come as ``data:`` alone, so a page that is opened tells nobody.

    Args:
        scripts: The texts of script elements, to the letter.
        styles: The texts of style elements, to the letter.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hashes(scripts)}",
            f"style-src {_hashes(styles)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hashes(texts: Iterable[str]) -> str:
    digests = (b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii") for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
