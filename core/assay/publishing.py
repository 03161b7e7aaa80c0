"""Writes the reports of a run that came to its end: pages, and what an agent writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from assay.errors import AssayError, RunError
from assay.reports.pages import write_pages
from assay.running.request import environment_of

if TYPE_CHECKING:
    from assay.journal.write import Journal
    from assay.model.case import AgentRef
    from assay.model.report import Report
    from assay.planning import Prepared
    from assay.reports.agent import Author, Authored
    from assay.reports.choose import Choice
    from assay.reports.feed import Feed
    from assay.running.stop import Stop
    from assay.running.work import Workshop
    from assay.surroundings import Surroundings


@frozen(kw_only=True)
class Publisher:
    """Writes the reports that were chosen."""

    prepared: Prepared
    around: Surroundings
    stop: Stop
    choice: Choice
    author: Author | None
    """The agent that is to write one."""

    @property
    def agents(self) -> tuple[AgentRef, ...]:
        """The agents that are asked for a report."""
        return () if self.author is None else (self.author.ref,)

    async def publish(self, workshop: Workshop, journal: Journal, feed: Feed) -> Report:
        """Write all reports, tell the streams of them, and give the run.

        Args:
            workshop: Open: it reaches the agent that writes a report.
            journal: With the summary of the run.
            feed: Told what was written.

        Raises:
            RunError: One could not be written; the others are, and the journal stays.
        """
        text = await self._authored(workshop, journal)
        report = journal.report()
        equipment, around = self.prepared.equipment, self.around
        redact = equipment.text_masker()
        written = write_pages(
            self.choice.pages,
            report,
            settings=equipment.reporter,
            redact=redact,
            stdout=around.stdout,
            watch=around.watch,
        )
        paths, problems = list(written.paths), list(written.problems)
        author = self.author
        if author is not None:
            try:
                author.put(text, redact=redact, stdout=around.stdout)
                paths += [author.page.name] if author.page.path is not None else []
            except AssayError as error:
                paths.append(around.shown(author.keep_lines(journal.path)))
                problems.append(f"{error}; {paths[-1]} holds the results")
        for problem in problems:
            around.tell(problem)
        feed.written([*(around.shown(path) for path in journal.paths), *paths])
        if not problems:
            return report
        journal.close(keep=bool(written.problems))
        if written.problems:
            raise RunError(f"not all reports could be written; {journal.path} holds the results")
        raise RunError("the report of the reporter agent could not be written")

    async def _authored(self, workshop: Workshop, journal: Journal) -> Authored:
        """Let an agent write a report; gives its text, or why there is none."""
        author = self.author
        if author is None:
            return ""
        if self.stop.exit_code is not None:
            agent = author.page.agent
            return RunError(f"reporter agent {agent!r} was not asked: {self.stop.reason}")
        try:
            asker = await workshop.asker(author.ref)
            limit = author.seconds + self.prepared.plan.suites[0].settings.max_wait
            with self.around.watch.stage(f"reporter agent {author.page.agent!r}", limit):
                return await author.write(asker, journal.report())
        except AssayError as error:
            return error


def publisher(prepared: Prepared, around: Surroundings, stop: Stop, choice: Choice) -> Publisher:
    """Make what writes the reports, before any case runs.

    Raises:
        ConfigError: A reporter is missing, its settings are wrong, or no agent has the name of the
            one that is to write a report.
    """
    for page in choice.pages:
        # What is wrong with them is told before any agent is asked, not after the run.
        prepared.equipment.reporter(page.reporter)
    author = _author(prepared, choice)
    return Publisher(prepared=prepared, around=around, stop=stop, choice=choice, author=author)


def _author(prepared: Prepared, choice: Choice) -> Author | None:
    if choice.agent is None:
        return None
    from assay.reports.agent import Author

    settings = prepared.plan.suites[0].settings
    return Author(
        page=choice.agent,
        ref=prepared.assembly.named(choice.agent.agent, settings),
        json_reporter=prepared.equipment.plugins.reporter("json"),
        seconds=settings.timeout,
        environment=environment_of(settings),
        verbose=prepared.settings.verbose,
    )
