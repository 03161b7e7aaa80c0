"""What can go wrong over HTTP, as assay's errors: each says the address, and how to mend it."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, cast

import httpx

from assay import AgentError, RateLimited, TransportError
from assay.jsonvalue import JsonError, is_array, is_object, loads
from assay_plugins.transports._connection import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_TEXT: Final = 300
"""Characters of an answer that a message shows."""

_NOT_TAKEN: Final = (errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE)
_BUSY: Final = (502, 503, 504)
_MENDS: Final = {
    401: "is the token or key right?",
    403: "may this token or key ask this agent?",
    404: "is the address right?",
    405: "is the address right?",
    413: "ask with less, or raise the server's limit",
}
_OF_THE_REQUEST: Final = (400, 409, 413, 415, 422, 500)
"""Statuses by which the agent itself refuses or fails; the others mean that it was not reached."""


def shown(url: httpx.URL) -> str:
    """Show an address without what may be secret in it: user, password and query."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))


def unanswered(
    error: Exception, url: httpx.URL, connect_timeout: float, proxy: str | None = None
) -> TransportError:
    """Make our error of one that came before any byte of an answer."""
    place = shown(url)
    if proxy is not None:
        place = f"{place} through the proxy {shown(httpx.URL(proxy))}"
    if isinstance(error, httpx.ConnectTimeout):
        return TransportError(
            f"{place}: not connected after {connect_timeout:g}s; is the address right, and can"
            " it be reached from here?"
        )
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return TransportError(
                f"{place}: its certificate is not trusted ({cause.verify_message}); set ca_file"
                " to the certificate of who signed it"
            )
        if isinstance(cause, ssl.SSLError):
            why = (cause.reason or "").replace("_", " ").lower() or "the handshake failed"
            return TransportError(f"{place}: no TLS ({why}); does the server speak https there?")
        if isinstance(cause, socket.gaierror):
            return TransportError(f"{place}: no host {url.host!r} is known; mend the address")
        if errno.ECONNREFUSED in _numbers(cause):
            return TransportError(
                f"{place}: connection refused; is the server running there?", retryable=True
            )
    if _is_dropped(error):
        return TransportError(
            f"{place}: the connection was closed before an answer came", retryable=True
        )
    if isinstance(error, httpx.ProxyError):
        return TransportError(f"{place}: the proxy failed: {brief(str(error))}")
    if isinstance(error, httpx.LocalProtocolError):
        return TransportError(f"{place}: cannot be asked: {error}; mend the settings")
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.InvalidURL)):
        return TransportError(f"{place}: not an address to ask; write http://… or https://…")
    return TransportError(f"{place}: no answer: {brief(str(error)) or type(error).__name__}")


class BrokenOff(TransportError):  # noqa: N818 - reads as a statement
    """An answer that broke off, whatever of it has come."""


def broken_off(error: Exception, url: httpx.URL) -> BrokenOff:
    """Make our error of one that came within an answer."""
    what = "cannot be decoded" if isinstance(error, httpx.DecodingError) else "broke off"
    why = brief(str(error))
    return BrokenOff(f"{shown(url)}: the answer {what}{f' ({why})' if why else ''}")


def refused(response: httpx.Response, body: bytes) -> AgentError:
    """Make our error of a response that says so by its status.

    429 (and 503 with ``Retry-After``) is ``RateLimited``; 502, 503 and 504 can be tried again.
    """
    status = response.status_code
    said = error_text(response, body)
    message = f"{shown(response.request.url)}: HTTP {status}"
    message = f"{message}: {said}" if said else f"{message} {_reason(response)}".rstrip()
    after = retry_after(response.headers)
    if status == 429 or (status == 503 and after is not None):
        return RateLimited(message, retry_after=after)
    if 300 <= status < 400:
        to = brief(response.headers.get("location", "elsewhere").partition("?")[0])
        return TransportError(f"{message}, which leads to {to}; write that address instead")
    if status in _MENDS:
        message = f"{message}; {_MENDS[status]}"
    if status in _OF_THE_REQUEST:
        return AgentError(message)
    return TransportError(message, retryable=status in _BUSY)


def retry_after(headers: httpx.Headers) -> float | None:
    """Give the seconds that ``Retry-After`` asks for, written as such or as a date.

    A date counts from the response's own ``Date``, so that clocks need not agree.

    Returns:
        None when there is none, or it is neither.
    """
    value = headers.get("retry-after", "").strip()
    if value.replace(".", "", 1).isdecimal() and value.isascii() and len(value) < 16:
        return float(value)
    until = _seconds(value)
    if until is None:
        return None
    now = _seconds(headers.get("date", ""))
    if now is None:
        import time

        now = time.time()
    return max(0.0, until - now)


def error_text(response: httpx.Response, body: bytes) -> str:
    """Give what the body of an error says: the message in its JSON, else its shortened text."""
    text = _decoded(body, response.charset_encoding or "utf-8")
    try:
        value = loads(text)
    except JsonError:
        return brief(text)
    return brief(error_message(value) or text)


def error_message(value: object) -> str | None:
    """Find the message in the JSON of an error, wherever common servers put it."""
    for _ in range(4):
        if isinstance(value, str):
            return value or None
        if is_array(value) and value:
            value = value[0]
        if not is_object(value):
            return None
        keys = ("error", "message", "error_description", "detail", "msg", "title")
        inner = next((value[key] for key in keys if value.get(key)), None)
        # OAuth: a short word beside a sentence.
        if isinstance(inner, str) and isinstance(value.get("error_description"), str):
            return f"{inner}: {value['error_description']}"
        value = inner
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, each once; of a group of errors, all of them."""
    seen: set[int] = set()
    todo = [error]
    while todo:
        each = todo.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        todo += [each.__context__, each.__cause__]
        if isinstance(each, BaseExceptionGroup):
            todo += cast("BaseExceptionGroup[BaseException]", each).exceptions


def _is_dropped(error: Exception) -> bool:
    if isinstance(error, httpx.RemoteProtocolError) and str(error) == NO_ANSWER:
        return True
    if not isinstance(error, httpx.NetworkError):
        return False
    return any(number in _NOT_TAKEN for cause in _causes(error) for number in _numbers(cause))


def _numbers(error: BaseException) -> list[int]:
    """Give the numbers of a system's error; one for several addresses has them in its text."""
    if not isinstance(error, OSError):
        return []
    if error.errno is not None:
        return [error.errno]
    return [int(number) for number in re.findall(r"\[Errno ([0-9]{1,5})\]", str(error))]


def brief(text: str) -> str:
    """Shorten a text of an answer to one line of a message."""
    plain = " ".join(text[: 20 * LONGEST_TEXT].split())
    return plain if len(plain) <= LONGEST_TEXT else f"{plain[: LONGEST_TEXT - 1]}…"


def _reason(response: httpx.Response) -> str:
    return brief(response.reason_phrase)


def _decoded(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset, "replace")
    except (LookupError, ValueError):
        return body.decode("utf-8", "replace")


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
