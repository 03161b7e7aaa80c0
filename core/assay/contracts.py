"""What plugins hand over, and what core hands to them.

Each contract is a ``Protocol`` of few members. A class that a hook hands over bears the word
of its entry point as ``name``; ``assay.testing`` holds a check per contract.

A class may have a frozen attrs class ``Settings``. Core builds it from the tables of
``assay.toml`` (``[transport.NAME]``), ``ASSAY_TRANSPORT_NAME_FIELD`` variables and
``--set transport.NAME.FIELD=VALUE``, and hands it to the constructor as ``settings``; a class
without one is handed None. Fields of type ``assay.Secret`` are secrets.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, ClassVar, Protocol, Self, runtime_checkable

from attrs import field, frozen

from assay.errors import ConfigError
from assay.model.case import AgentRef, Case, Environment, Need, Suite
from assay.model.exchange import AgentInfo, Request, Response
from assay.model.outcome import Outcome, Verdict
from assay.model.report import Report, RunInfo, Summary
from assay.model.result import Attempt, CaseResult


def _no_stdin() -> Path:
    raise ConfigError("-: standard input cannot be read here; name a file instead")


def _same(value: object) -> object:
    return value


def _nobody(_: str) -> None:
    """Tell nobody."""


def _no_use(path: Path) -> None:
    """Know of no use of a file."""


def _never() -> bool:
    return False


@frozen(kw_only=True)
class LoadContext:
    """What a loader is told."""

    cwd: Path
    """The working directory: relative sources are relative to it."""
    stdin: Callable[[], Path] = _no_stdin
    """Gives standard input, kept in a temporary file, so that it can be read twice."""


class Loader(Protocol):
    """Turns a source that a user named into suites."""

    name: ClassVar[str]

    def accepts(self, source: str, context: LoadContext) -> bool:
        """Whether the source is one of this loader's; decided by looking, not by reading."""
        ...

    def load(self, source: str, context: LoadContext) -> Iterator[Suite]:
        """Give the suites of the source. Their entries are read twice, each time from anew.

        Raises:
            ConfigError: The source cannot be read.
        """
        ...


class Transport(Protocol):
    """Reaches an agent. Opened and closed once per run and agent, by one task.

    The class is called as ``cls(agent, settings)``.
    """

    async def __aenter__(self) -> Self:
        """Open what is shared by all requests."""
        ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it again."""
        ...

    async def info(self) -> AgentInfo | None:
        """Look at the agent before the run (the preflight); None when nothing can be known.

        Raises:
            ConfigError: There is no such agent: the run does not start.
            TransportError: It cannot be reached.
        """
        ...

    async def send(self, request: Request) -> Response:
        """Ask once. Cancelled on timeout: it must then let go of what it holds.

        Raises:
            AgentError: The agent failed.
            TransportError: It could not be reached, or its answer broke off.
            RateLimited: It asks for a pause.
        """
        ...


@runtime_checkable
class Identifying(Protocol):
    """A transport that cannot send who asks as it is told: it says what really reaches the agent.

    Reports show what ``identify`` gives. A wrap around such a transport hands the method on.
    """

    def identify(self, environment: Environment) -> Environment:
        """Give the environment in which a request with this one is really asked.

        ``identity`` says who decided user and team, which stay what was asked for. Asked before
        every request, and once for the head of the report; it does not wait and does not fail.
        """
        ...


@runtime_checkable
class Recalling(Protocol):
    """A transport that answers from a record, which takes no turn and no pause.

    A wrap around such a transport hands the method on.
    """

    def recalls(self, request: Request) -> bool:
        """Whether ``send`` will answer this request without an agent, or refuse it.

        Then neither ``--rate`` nor pauses nor turns hold it up. Asked before every request; it
        does not wait and does not fail.
        """
        ...


@frozen(kw_only=True)
class WrapContext:
    """What a wrap is told beside its settings."""

    cwd: Path
    """The working directory: relative paths are relative to it."""
    shared: dict[str, object] = field(factory=dict[str, object], repr=False)
    """For what the wraps of one run share, such as a file. Keys begin with the wrap's word."""
    redact: Callable[[object], object] = _same
    """Replaces the secrets in use in a JSON value; gives a copy where there are any."""
    tell: Callable[[str], None] = _nobody
    """Tells the user, in one sentence, what they should know and the run survives."""
    fail: Callable[[str], None] = _nobody
    """Tells likewise of something that was asked for and cannot be done: the run goes on, and
    its exit code is 3."""
    is_stopped: Callable[[], bool] = _never
    """Whether the run was stopped, by a signal or ``--fail-fast``: what is cancelled now has not
    run out of time."""
    use_of: Callable[[Path], str | None] = _no_use
    """What the run itself does with a file, such as ``is a file of cases`` or ``is written by -o``;
    None: nothing."""
    is_local: bool = True
    """Whether attempts are carried out by this process, and by no other."""
    is_resumed: bool = False
    """Whether an earlier run goes on: agents are asked only what it left."""


class TransportType(Protocol):
    """A class of transports, as a hook hands it over."""

    name: str
    """A class variable: type checkers see the class itself as the object here."""

    def __call__(self, agent: AgentRef, settings: Any) -> Transport:
        """Make a transport, without opening anything.

        Raises:
            ConfigError: The target or a setting is wrong.
        """
        ...


@runtime_checkable
class AssertionType(Protocol):
    """A check that a case can name: a frozen attrs class whose fields are its JSON fields.

    ``type``, ``message`` and ``negate`` belong to core and cannot be fields. A field that is a
    Python keyword has an underscore behind it (``in_`` for ``in``). What is wrong with a value
    is a ``ValueError`` (or ``TypeError``) of a validator or of ``__attrs_post_init__``: a fault
    of the case file. A class that needs nothing may leave ``needs`` out.
    """

    def check(self, outcome: Outcome) -> Verdict | Awaitable[Verdict]:
        """Judge an outcome. May be ``async`` where it waits.

        Raises:
            CannotCheck: It cannot be carried out at all.
        """
        ...


@runtime_checkable
class Needing(Protocol):
    """An assertion that needs scripts, agents or files."""

    def needs(self) -> Sequence[Need]:
        """Name what ``check`` will want: looked for when cases load, before any agent is asked."""
        ...


@frozen(kw_only=True)
class ReportContext:
    """What a reporter is told when it is made."""

    info: RunInfo
    verbose: bool = False
    quiet: bool = False
    environ: Mapping[str, str] = field(factory=dict[str, str])
    stderr: IO[str]
    """For reporters that show a run as it happens."""
    animated: bool = False
    """Whether ``stderr`` is a terminal that a line can be redrawn on."""
    color: bool = False


class PageReporter(Protocol):
    """Writes a report once, after the run. The class is called as ``cls(settings)``."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    """With the dot: ``(".md",)``."""

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the report to a text stream; core opens, names and moves the file."""
        ...


@runtime_checkable
class CaseReporter(Protocol):
    """A page reporter that can also write a case on a page of its own, for ``assay extract``."""

    def write_case(self, result: CaseResult, out: IO[str]) -> None:
        """Write the page of a case; its file has the first suffix of the reporter."""
        ...


class StreamReporter(Protocol):
    """Shows a run as it happens. The class is called as ``cls(context, settings)``."""

    name: ClassVar[str]

    @classmethod
    def wanted(cls, environ: Mapping[str, str]) -> bool:
        """Whether it is on by itself, without ``-r``."""
        ...

    def start(self, info: RunInfo) -> None:
        """The run starts."""
        ...

    def attempt(self, result: CaseResult, attempt: Attempt) -> None:
        """An attempt of a case with several runs has finished; ``result`` as far as it is known."""
        ...

    def result(self, result: CaseResult) -> None:
        """A case is done."""
        ...

    def finish(self, summary: Summary) -> None:
        """The run is over, its reports are not written yet."""
        ...

    def written(self, paths: Sequence[str]) -> None:
        """The reports stand at these paths, as a user would name them."""
        ...


@runtime_checkable
class Closing(Protocol):
    """A stream reporter that holds something: a thread, a file, a line on a terminal."""

    def close(self) -> None:
        """Let go of it; nothing is told afterwards.

        Called once: behind ``written``, when the run breaks off before its end, or when the
        reporter has raised.
        """
        ...


@frozen(kw_only=True)
class ScriptTarget:
    """A function in a file, found by a reference."""

    file: Path
    function: str
    root: Path
    """The folder whose files it may use: the application root, else the script's folder."""


class ScriptEngine(Protocol):
    """Runs the scripts of one language in worker processes. Called as ``cls(settings)``.

    A worker speaks JSON lines on two descriptors of its own, whose numbers it finds in
    ``ASSAY_SCRIPT_IN`` and ``ASSAY_SCRIPT_OUT``, and ends when the first one closes. A call is
    ``{"id": 1, "file": "…", "function": "…", "arguments": […]}``; its answer is ``{"id": 1,
    "value": …}`` or ``{"id": 1, "error": "…"}``, with null for the number of a request that it
    could not read. It starts in ``root`` and leads a process group of its own, which is killed
    when a call overruns. What it prints is not the answer: it is shown as text.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    """Of the files it runs, with the dot, in the order in which they are looked for."""

    def defines(self, file: Path, function: str) -> bool:
        """Whether the file seems to define the function, without running it.

        Raises:
            ConfigError: It cannot be read, or is not of that language.
        """
        ...

    def command(self, root: Path) -> Sequence[str]:
        """The command of a worker for scripts below ``root``.

        Raises:
            ConfigError: What runs them is not installed.
        """
        ...


@frozen(kw_only=True)
class Task:
    """One attempt to carry out. ``assay.to_json`` and ``assay.from_json`` know its JSON form."""

    index: int
    """Of the case, over all suites."""
    suite: int
    """Of the suite, in the plan."""
    attempt: int
    line: Mapping[str, object]
    """The case as written."""
    file: str
    row: int | None = None
    """Line in ``file``."""
    case: Case | None = None
    """The case read from ``line``, where the task was not sent elsewhere."""


@frozen(kw_only=True)
class Done:
    """A task and what became of it."""

    task: Task
    attempt: Attempt


class Worker(Protocol):
    """Carries tasks out. It is open as long as the executor's ``run`` is being iterated."""

    async def run(self, task: Task) -> Done:
        """Carry one task out; several at a time are fine."""
        ...


class Pace(Protocol):
    """Lets the workers of a run keep the limits of agents together.

    An executor with workers in several processes hands one to ``assay.worker`` in each of them.
    ``agent`` is a text that names an agent, the same in all workers of a run.
    """

    async def turn(self, agent: str, interval: float) -> None:
        """Wait until a request to an agent with a ceiling may be made.

        Args:
            agent: Which agent.
            interval: Seconds between two requests to it at least, over all workers.
        """
        ...

    def paused(self, agent: str, seconds: float) -> None:
        """Hear that an agent asks for a pause: the other workers are to ``pause``, too."""
        ...


class PacedWorker(Worker, Protocol):
    """What ``assay.worker`` gives."""

    def pause(self, agent: str, seconds: float) -> None:
        """Make no request to an agent for so many seconds: another worker was asked to pause."""
        ...


@frozen(kw_only=True)
class ExecutorContext:
    """What an executor is told."""

    parallel: int
    worker: Worker
    """For attempts in this process."""
    blueprint: Mapping[str, object]
    """JSON from which ``assay.worker(blueprint)`` makes an equal worker elsewhere."""


class Executor(Protocol):
    """Runs tasks, here or elsewhere. Called as ``cls(context, settings)``."""

    name: ClassVar[str]

    def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        """Take tasks as there is room for them, and give each back when it is done.

        Closing the iterator (``aclose``) cancels what is under way.
        """
        ...
