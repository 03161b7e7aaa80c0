"""A real browser that opens reports from disk: ``opened = show(report)``."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest
from attrs import define, field, frozen
from playwright.sync_api import sync_playwright

from assay_plugins.reporters.html import Html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page
    from tests.unit.reporters.conftest import Make

    from assay import Report

# A container's root may not sandbox; the rest keeps the browser from asking the network itself.
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_FACTORIES = Path(__file__).parents[1] / "unit" / "reporters" / "conftest.py"


@define
class Opened:
    """A report in the browser, with all that went wrong while it was shown."""

    page: Page
    path: Path
    problems: list[str] = field(factory=list[str])

    def ready(self) -> None:
        """Wait until the page shows all that it shows by itself."""
        self.page.wait_for_selector("body[data-ready=all]", timeout=60_000)

    def searchable(self) -> None:
        """Wait until all texts are unpacked."""
        self.page.wait_for_selector("body[data-searchable]", timeout=120_000)

    def goto(self, fragment: str) -> None:
        """Open the report anew with a fragment."""
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + fragment)
        self.ready()

    @property
    def ids(self) -> list[str]:
        """The ids of the rows that are on the screen, from the top."""
        return self.page.locator("#table .row .name").all_text_contents()

    @property
    def fragment(self) -> str:
        """The fragment of the address."""
        return str(self.page.evaluate("location.hash"))

    def row(self, id: str) -> Any:
        """The link of a row."""
        return self.page.locator("#table .row .name").get_by_text(id, exact=True)

    def open(self, id: str) -> Any:
        """Open a result with a click and give its panel, filled."""
        self.row(id).click()
        return self.panel()

    def panel(self) -> Any:
        """The panel, once it is filled."""
        self.page.wait_for_selector("#panel .detail", timeout=30_000)
        return self.page.locator("#panel")

    def shows(self, words: str) -> None:
        """Wait until the line that counts says this."""
        self.page.locator("#shown").get_by_text(words, exact=True).wait_for(timeout=30_000)


@frozen
class Show:
    """Writes a report and opens it, in a window of its own."""

    browser: Browser
    folder: Path
    contexts: list[BrowserContext]
    opened: list[Opened]

    def __call__(
        self,
        report: Report,
        fragment: str = "",
        *,
        width: int = 1400,
        height: int = 900,
        theme: Literal["light", "dark"] = "light",
        touch: bool = False,
        locale: str = "en-US",
    ) -> Opened:
        """Open a report."""
        path = self.folder / f"report-{len(self.opened)}.html"
        with path.open("w", encoding="utf-8", newline="") as out:
            Html().write(report, out)
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            has_touch=touch,
            locale=locale,
            timezone_id="UTC",
            accept_downloads=True,
        )
        self.contexts.append(context)
        page = context.new_page()
        opened = Opened(page, path)
        self.opened.append(opened)
        page.on("pageerror", lambda error: opened.problems.append(f"error: {error}"))
        page.on("console", lambda said: opened.problems.append(f"{said.type}: {said.text}"))
        page.on("dialog", lambda dialog: opened.problems.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("file:", "data:", "blob:", "about:"))
                else opened.problems.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri() + fragment)
        opened.ready()
        return opened


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, as Debian has it."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("no chromium: install it, on Debian with 'apt-get install chromium'")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Opens reports; afterwards sees that nothing failed, spoke, or asked the network."""
    shown = Show(browser, tmp_path, [], [])
    yield shown
    for context in shown.contexts:
        context.close()
    assert [problem for opened in shown.opened for problem in opened.problems] == []


@pytest.fixture
def make() -> Make:
    """Makes parts of reports: the factories of the reporters' unit tests."""
    name = "assay_report_factories"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _FACTORIES)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return cast("Callable[[], Make]", sys.modules[name].Make)()
