"""Which certificates are trusted."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

from assay import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def trusting_context(ca_file: Path | None) -> ssl.SSLContext:
    """Make what verifies servers: by ``SSL_CERT_FILE`` or ``SSL_CERT_DIR``, else by certifi.

    Args:
        ca_file: A certificate (PEM) to trust beside those that are trusted anyway.

    Raises:
        ConfigError: It, or ``SSL_CERT_FILE``, cannot be used.
    """
    context = _usual_context()
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=str(ca_file))
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"ca_file {ca_file}: cannot be used ({error}); name a file of certificates in PEM"
                " form"
            ) from error
    return context


def _usual_context() -> ssl.SSLContext:
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file:
        try:
            return ssl.create_default_context(cafile=file)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"SSL_CERT_FILE {file}: cannot be used ({error}); name a file of certificates in"
                " PEM form, or unset it"
            ) from error
    if folder:
        return ssl.create_default_context(capath=folder)
    import certifi

    return ssl.create_default_context(cafile=certifi.where())
