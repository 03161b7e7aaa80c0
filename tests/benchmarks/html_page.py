"""The HTML report: written how fast, how large, and how fast it is there in a browser."""

from __future__ import annotations

import json
import random
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import ASSAY, Figures, Sample, judged, measure

if TYPE_CHECKING:
    from playwright.sync_api import Page

CASES = 10_000
MANY = 100_000
CHARACTERS = 1_000
"""Of each output."""

AGENT = """
import json
from pathlib import Path

from assay import Request

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())

def reply(request: Request) -> str:
    return ANSWERS[int(request.text.split()[1]) % len(ANSWERS)]
"""

ENGLISH = (
    "the of and to a in is you that it he was for on are as with his they I at be this have from "
    "or one had by word but not what all were we when your can said there use an each which she "
    "do how their if will up other about out many then them these so some her would make like him "
    "into time has look two more write go see number no way could people my than first water been "
    "call who oil its now find long down day did get come made may part over new sound take only "
    "little work know place year live me back give most very after thing our just name good "
    "sentence man think say great where help through much before line right too mean old any same "
    "tell boy follow came want show also around form three small set put end does another well "
    "large must big even such because turn here why ask went men read need land different home "
    "us move try kind hand picture again change off play spell air away animal house point page "
    "letter mother answer found study still learn should America world high every near add food"
)
WORDS = ENGLISH.split()

ANSWERED = """(words) => new Promise((resolve) => {
  const shown = document.getElementById("shown");
  const field = document.getElementById("search");
  const before = shown.textContent;
  const since = performance.now();
  new MutationObserver((_changes, observer) => {
    if (shown.textContent === before || shown.textContent === "Searching…") return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - since)));
  }).observe(shown, { childList: true, characterData: true, subtree: true });
  if (words === null) document.querySelector(".chip.failed").click();
  else {
    field.value = words;
    field.dispatchEvent(new Event("input"));
  }
})"""
"""Sets a filter and gives the milliseconds until its rows are painted."""

FIRST_ROWS = """() => performance.getEntriesByName("rows")[0].startTime"""
"""The milliseconds from opening the page until its first rows are painted."""


def run(folder: Path) -> None:
    """Print what writing and opening reports of 10,000 and 100,000 results costs."""
    lines = {cases: record(folder, cases) for cases in (CASES, MANY)}
    for cases, path in lines.items():
        report = folder / f"report-{cases}.html"
        samples = [write(path, report) for _ in range(3 if cases == CASES else 1)]
        figures = Figures(samples=tuple(samples))
        size = report.stat().st_size / 2**20
        print(f"{cases:>7} results of {CHARACTERS} characters")
        if cases == CASES:
            print(f"  written    {judged(figures.wall, 5, 's')}, {figures.cpu:.2f} s CPU")
            print(f"  file       {judged(size, 12, 'MiB')}")
        else:
            print(f"  written    {figures.wall:8.2f} s, {figures.cpu:.2f} s CPU")
            print(f"  file       {size:8.2f} MiB")
        print(f"  memory     {judged(figures.peak, 120, 'MB')}")
        browse(report, aims=cases == CASES)


def record(folder: Path, cases: int) -> Path:
    """Run cases against an agent that answers English, every tenth wrongly: the run's lines."""
    choose = random.Random(7)
    answers = [english(choose) for _ in range(1_009)]
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    source = folder / f"cases-{cases}.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for number in range(cases):
            wanted = "no such words" if number % 10 == 0 else "e"
            case = {
                "id": f"T{number:06}",
                "input": f"Question {number} about {choose.choice(WORDS)}",
                "tags": [choose.choice(("smoke", "billing", "tools"))],
                "assert": {"type": "contains", "value": wanted},
            }
            file.write(json.dumps(case) + "\n")
    out = folder / f"results-{cases}.jsonl"
    words = ["test", "-i", str(source), "-n", "python:agent.py:reply", "-o", str(out)]
    measure([ASSAY, *words, "--parallel", "16"], cwd=folder, expect=1)
    return out


def english(choose: random.Random) -> str:
    """Make an answer as agents write them: every second one has some Markdown."""
    text = ""
    while len(text) < CHARACTERS:
        sentence = " ".join(choose.choices(WORDS, k=choose.randint(6, 18)))
        text += sentence.capitalize() + choose.choice((". ", ". ", ".\n\n"))
    if choose.random() < 0.5:
        text = f"## {text[:20].title()}\n\n- **{text[30:50]}**\n- {text[60:90]}\n\n{text[120:]}"
    return text[:CHARACTERS]


def write(lines: Path, report: Path) -> Sample:
    """Write the report of recorded lines."""
    return measure([ASSAY, "report", str(lines), "-o", str(report)])


def browse(report: Path, *, aims: bool) -> None:
    """Print how long Chromium takes to show the first rows, and to answer filters."""
    program = shutil.which("chromium")
    if program is None:
        print("  no chromium: not opened")
        return
    from playwright.sync_api import sync_playwright

    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        rows = [first_rows(page, report) for _ in range(3 if aims else 1)]
        started = time.perf_counter()
        page.wait_for_selector("body[data-searchable]", timeout=600_000)
        ready = time.perf_counter() - started
        first = sorted(rows)[len(rows) // 2]
        filtered = {"status": answered(page, None)}
        for words in ("answer", "large mother", "no such phrase at all"):
            filtered[words] = answered(page, words)
        slowest = max(filtered.values())
        if aims:
            print(f"  first rows {judged(first, 1, 's')}")
            print(f"  a filter   {judged(slowest, 100, 'ms')}")
        else:
            print(f"  first rows {first:8.2f} s")
            print(f"  a filter   {slowest:8.2f} ms")
        each = ", ".join(f"{name} {figure:.0f} ms" for name, figure in filtered.items())
        print(f"  ({each}; all texts unpacked {ready:.1f} s after the first rows)")
        browser.close()


def first_rows(page: Page, report: Path) -> float:
    """Open a report; give the seconds until its first rows are painted."""
    page.goto("about:blank")
    page.goto(report.as_uri(), wait_until="commit", timeout=300_000)
    page.wait_for_selector("body[data-ready=all]", timeout=300_000)
    return float(page.evaluate(FIRST_ROWS)) / 1000


def answered(page: Page, words: str | None) -> float:
    """Set a filter, give the milliseconds until it is answered, and take it off again."""
    found: Any = page.evaluate(ANSWERED, words)
    page.locator("#clear").click()
    page.locator("#clear").wait_for(state="hidden")
    return float(found)
