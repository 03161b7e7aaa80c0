"""The settings of ``assay test``: one table for flags, variables, files and documentation.

``--help`` reads it, so it imports nothing that is slow.
"""

from __future__ import annotations

from typing import Final

from assay.settings.setting import Setting

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        name="inputs",
        word="input",
        short="-i",
        kind="path",
        multiple=True,
        metavar="SOURCE",
        help="Test the cases of a JSON lines file, a folder or a glob; '-' reads standard input, "
        "and any other text is sent to the agent as a message.",
    ),
    Setting(
        name="outputs",
        word="output",
        short="-o",
        kind="path",
        multiple=True,
        metavar="FILE",
        help="Write a report to this file, in the format that its suffix names.",
    ),
    Setting(
        name="reporter",
        word="reporter",
        short="-r",
        metavar="NAME",
        help="Write the first report with this reporter, built-in or an agent.",
    ),
    Setting(
        name="agent",
        word="name",
        short="-n",
        scope="suite",
        metavar="AGENT",
        help="Test this agent, an id or TRANSPORT:TARGET, instead of the one whose folder holds "
        "the cases.",
    ),
    Setting(
        name="transport",
        word="transport",
        scope="suite",
        section="test",
        default="yao",
        metavar="NAME",
        help="Reach agents that are named by an id alone through this transport.",
    ),
    Setting(
        name="connector",
        word="connector",
        short="-c",
        scope="suite",
        metavar="ID",
        help="Let the agent use this connector (its model) instead of its own.",
    ),
    Setting(
        name="user",
        word="user",
        short="-u",
        scope="suite",
        section="test",
        default="test-user",
        metavar="ID",
        help="Ask as this user, whatever the cases say.",
    ),
    Setting(
        name="team",
        word="team",
        short="-t",
        scope="suite",
        section="test",
        default="test-team",
        metavar="ID",
        help="Ask as a member of this team, whatever the cases say.",
    ),
    Setting(
        name="locale",
        word="locale",
        scope="suite",
        section="test",
        default="en-us",
        metavar="LOCALE",
        help="Ask in this locale.",
    ),
    Setting(
        name="runs",
        word="runs",
        kind="count",
        scope="suite",
        section="test",
        default=1,
        minimum=1,
        metavar="N",
        help="Run every case this many times and report how stable it is.",
    ),
    Setting(
        name="min_pass_rate",
        word="min_pass_rate",
        kind="percent",
        scope="suite",
        section="test",
        default=100,
        minimum=0,
        maximum=100,
        metavar="PERCENT",
        help="Let a case pass when at least this share of its runs passes.",
    ),
    Setting(
        name="timeout",
        word="timeout",
        kind="duration",
        scope="suite",
        section="test",
        default="5m",
        above=0,
        metavar="DURATION",
        help="Give every attempt this much time, unless its case says otherwise.",
    ),
    Setting(
        name="parallel",
        word="parallel",
        kind="count",
        section="test",
        default=1,
        minimum=1,
        metavar="N",
        help="Have this many attempts under way at a time.",
    ),
    Setting(
        name="retries",
        word="retries",
        kind="count",
        scope="suite",
        section="test",
        default=2,
        minimum=0,
        metavar="N",
        help="Ask again this often when the agent could not be reached.",
    ),
    Setting(
        name="rate",
        word="rate",
        kind="rate",
        scope="suite",
        section="test",
        metavar="N/s|N/m|N/h",
        help="Ask an agent at most this often per second, minute or hour.",
    ),
    Setting(
        name="max_wait",
        word="max_wait",
        kind="duration",
        scope="suite",
        section="test",
        default="10m",
        minimum=0,
        metavar="DURATION",
        help="Wait at most this long when an agent asks for a pause; give up when it asks for "
        "a longer one.",
    ),
    Setting(
        name="grace",
        word="grace",
        kind="duration",
        section="test",
        default="30s",
        above=0,
        metavar="DURATION",
        help="End the run when something outlives its time limit by this much and cannot be "
        "cancelled; reports are written all the same.",
    ),
    Setting(
        name="run_pattern",
        word="run",
        kind="pattern",
        metavar="REGEX",
        help="Run only the cases in whose id this regular expression is found.",
    ),
    Setting(
        name="tags",
        word="tag",
        multiple=True,
        metavar="TAG",
        help="Run only the cases that have this tag, or one of several.",
    ),
    Setting(
        name="shard",
        word="shard",
        kind="shard",
        metavar="K/N",
        help="Run only the K-th of N parts of the cases, which are divided by their ids; "
        "'assay merge' puts the parts together again.",
    ),
    Setting(
        name="resume",
        word="resume",
        kind="path",
        metavar="FILE",
        help="Complete an interrupted run in the file of its JSON lines: what has a result there "
        "is not asked again.",
    ),
    Setting(
        name="retry_errors",
        word="retry_errors",
        kind="path",
        metavar="FILE",
        help="Run only what ended in an error or a timeout in this file of JSON lines, and put "
        "the new results in their place.",
    ),
    Setting(
        name="fail_fast",
        word="fail_fast",
        kind="flag",
        section="test",
        default=False,
        help="Stop at the first case that does not pass.",
    ),
    Setting(
        name="allow_files",
        word="allow_files",
        kind="path",
        scope="suite",
        multiple=True,
        metavar="DIR",
        help="Let cases attach files of this folder too, beside those of the application root; "
        "may be given several times.",
    ),
    Setting(
        name="require_assertions",
        word="require_assertions",
        kind="flag",
        scope="suite",
        section="test",
        default=False,
        help="Refuse cases without any check.",
    ),
    Setting(
        name="strict",
        word="strict",
        kind="flag",
        scope="suite",
        section="test",
        default=False,
        help="Refuse cases with fields that nobody knows, instead of warning.",
    ),
    Setting(
        name="dry_run",
        word="dry_run",
        kind="flag",
        default=False,
        help="List what would run, and ask no agent.",
    ),
    Setting(
        name="asserts",
        word="assert",
        multiple=True,
        metavar="TYPE:VALUE",
        help="Check the answer to a direct message; may be given several times.",
    ),
    Setting(
        name="executor",
        word="executor",
        section="test",
        default="local",
        metavar="NAME",
        help="Carry attempts out with this executor.",
    ),
    Setting(
        name="record",
        word="record",
        kind="path",
        metavar="FILE",
        stands_for="wrap.record.file",
        help="Record what agents are asked and answer, for --replay.",
    ),
    Setting(
        name="replay",
        word="replay",
        kind="path",
        metavar="FILE",
        stands_for="wrap.replay.file",
        help="Answer from this record instead of asking agents.",
    ),
    Setting(
        name="replay_missing",
        word="replay_missing",
        metavar="error|ask",
        stands_for="wrap.replay.missing",
        help="Say what becomes of a request that is not in the record: an error, or a request to "
        "the agent.",
    ),
    Setting(
        name="sets",
        word="set",
        kind="assignment",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set a plugin's setting, such as transport.yao.server=http://127.0.0.1:5099.",
    ),
    Setting(
        name="json",
        word="json",
        kind="flag",
        default=False,
        help="Write the results to standard output as JSON lines.",
    ),
    Setting(
        name="verbose",
        word="verbose",
        short="-v",
        kind="flag",
        default=False,
        help="Show input and output of every case, and what a run waits for.",
    ),
    Setting(
        name="quiet",
        word="quiet",
        short="-q",
        kind="flag",
        default=False,
        help="Show only the verdict, warnings and errors.",
    ),
)
"""Every setting of ``assay test``, in the order in which ``--help`` shows them."""


def by_name(name: str) -> Setting:
    """Find a setting by what it is called in code.

    Raises:
        KeyError: There is none of that name.
    """
    for setting in SETTINGS:
        if setting.name == name:
            return setting
    raise KeyError(name)
