"""What a setting is: one record from which its flag, variable and key follow."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal[
    "text",
    "path",
    "flag",
    "count",
    "percent",
    "duration",
    "rate",
    "shard",
    "pattern",
    "assignment",
]
"""How a value is written, and what becomes of it:

* ``text``, ``path``: text that is not empty → ``str``
* ``flag``: true or false → ``bool``
* ``count``: a whole number → ``int``
* ``percent``: a number → ``float``
* ``duration``: as Go writes it (``1m30s``) → seconds as ``float``
* ``rate``: ``N/s``, ``N/m`` or ``N/h`` → ``Rate``
* ``shard``: ``K/N`` → ``Shard``
* ``pattern``: a regular expression → ``re.Pattern[str]``
* ``assignment``: ``KIND.WORD.KEY=VALUE`` → ``Assignment``
"""

Scope: TypeAlias = Literal["run", "suite"]
"""Whether a setting holds for the whole run (its files are looked for from the working
directory upwards) or for one suite (from its case file upwards)."""


class Setting(NamedTuple):
    """One thing that can be set."""

    name: str
    """What it is called in code: the field of ``RunSettings`` or ``SuiteSettings``."""
    word: str
    """What a user calls it; flag, variable and key are made of it."""
    help: str
    """A full sentence."""
    kind: Kind = "text"
    short: str | None = None
    """The short flag, such as ``-i``."""
    default: str | int | bool | None = None
    """As a user would write it; None: there is none, and no value is a value."""
    scope: Scope = "run"
    section: str | None = None
    """The section of ``assay.toml`` that may hold it; None: files cannot set it."""
    multiple: bool = False
    """Whether it may be given several times. In a variable, each value has a line."""
    minimum: float | None = None
    """The least value."""
    maximum: float | None = None
    """The greatest value."""
    above: float | None = None
    """What the value must be greater than."""
    metavar: str | None = None
    """What ``--help`` calls the value."""
    stands_for: str | None = None
    """The setting of a plugin, ``KIND.WORD.KEY``, for which it stands: then it is no field."""

    @property
    def flag(self) -> str:
        """The long flag, such as ``--min-pass-rate``."""
        return "--" + self.word.replace("_", "-")

    @property
    def flags(self) -> tuple[str, ...]:
        """All flags that set it, as a user types them."""
        flags = (self.short, self.flag) if self.short else (self.flag,)
        return (*flags, self.off) if self.off else flags

    @property
    def off(self) -> str | None:
        """The flag that switches off what a file or variable has switched on."""
        if self.kind == "flag" and self.section is not None:
            return "--no-" + self.word.replace("_", "-")
        return None

    @property
    def env(self) -> str:
        """The environment variable, such as ``ASSAY_MIN_PASS_RATE``."""
        return "ASSAY_" + self.word.upper()

    @property
    def toml(self) -> tuple[str, str] | None:
        """Section and key in ``assay.toml``."""
        return None if self.section is None else (self.section, self.word)
