"""Media types of attachments, by the suffixes of their names (Yao reference, §4.3)."""

from __future__ import annotations

import mimetypes
from typing import Final

_OFFICE: Final = "application/vnd.openxmlformats-officedocument"

_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "image/jpeg": ("jpg", "jpeg"),
    "image/png": ("png",),
    "image/gif": ("gif",),
    "image/webp": ("webp",),
    "image/bmp": ("bmp",),
    "audio/wav": ("wav",),
    "audio/mpeg": ("mp3",),
    "audio/flac": ("flac",),
    "audio/ogg": ("ogg",),
    "audio/mp4": ("m4a",),
    "application/pdf": ("pdf",),
    "application/msword": ("doc",),
    f"{_OFFICE}.wordprocessingml.document": ("docx",),
    "application/vnd.ms-excel": ("xls",),
    f"{_OFFICE}.spreadsheetml.sheet": ("xlsx",),
    "application/json": ("json", "yao"),
    "application/xml": ("xml",),
    "text/plain": ("txt", "conf"),
    "text/csv": ("csv",),
    "text/html": ("html", "htm"),
    "text/markdown": ("md",),
    "text/css": ("css",),
    "text/yaml": ("yaml", "yml"),
    "text/typescript": ("ts", "tsx"),
    "text/javascript": ("js", "jsx"),
    "text/x-shellscript": ("sh", "bash", "zsh"),
    "text/x-go": ("go",),
    "text/x-python": ("py",),
    "text/x-rust": ("rs",),
    "text/x-java": ("java",),
    "text/x-c": ("c", "h"),
    "text/x-c++": ("cpp", "hpp"),
    "text/x-ruby": ("rb",),
    "text/x-php": ("php",),
    "text/x-scss": ("scss",),
    "text/x-toml": ("toml",),
    "text/x-ini": ("ini",),
    "text/x-sql": ("sql",),
    "text/x-less": ("less",),
    "text/x-vue": ("vue",),
    "text/x-svelte": ("svelte",),
}
_BY_SUFFIX: Final = {suffix: kind for kind, suffixes in _TYPES.items() for suffix in suffixes}


def suffix_of(name: str) -> str:
    """Give the suffix of a file's name in small letters, without the dot; empty without one."""
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def media_type(name: str) -> str:
    """Give the media type of a file by its name."""
    known = _BY_SUFFIX.get(suffix_of(name))
    return known or mimetypes.guess_type(name)[0] or "application/octet-stream"
