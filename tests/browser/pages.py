# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A page that Playwright has opened, and what is asked of every one: no complaint, no network, no barrier."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

PATIENCE_MS = 60_000
WIDTHS = (390, 1440)  # of a telephone and of a desk
SCHEMES = ("light", "dark")
# The contrast of every text with what is behind it; axe leaves out texts of one letter and those over others.
CONTRAST = """() => {
  const linear = (part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const channel = (value) => linear(value / 255);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const behind = (place) => {
    for (let found = place; found; found = found.parentElement) {
      const color = parts(getComputedStyle(found).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const place of document.querySelectorAll("body *")) {
    const text = [...place.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!text || !place.checkVisibility() || ["OPTION", "SCRIPT"].includes(place.tagName)) continue;
    if (place.querySelector(":disabled")) continue;
    const both = [light(parts(getComputedStyle(place).color)), light(behind(place))];
    const [one, other] = both.sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) poor.push(`${place.tagName} ${place.textContent.trim()}: ${ratio.toFixed(2)}`);
  }
  return poor;
}"""


@contextmanager
def opened(browser: Browser, url: str, below: str = "", **options: object) -> Iterator[Page]:
    """The page, or the one `below` its address; it must complain of nothing and ask nobody else."""
    page = browser.new_page(**options)  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/{below}" if below else url)
    yield page
    page.close()
    assert complaints == []
    assert [address for address in asked if not address.startswith((url, "data:", "blob:"))] == []


def violations(page: Page) -> list[str]:
    """The findings of axe-core, by its rules for WCAG and its best practices: rule, element, what to do."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node.get('failureSummary', '')}"
        for rule in found
        for node in rule["nodes"]
    ]
