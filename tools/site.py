# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site from docs/ into docs/site; a dead link or anchor fails it.

    python3 tools/site.py         `make docs` does

Files of the project that a page links to become pages, and so do the keywords (Libdoc) and the help of each
command, so that the site is complete without a network. llms.txt and llms-full.txt have the pages as text.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from TesterLibrary.commands import main as cli

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
STAGE = ROOT / ".cache" / "site"
PAGES = STAGE / "pages"
SITE = DOCS / "site"
_LINK = re.compile(r"(\]\()(?!https?://|#|mailto:)([^)#\s]+)((?:#[^)]*)?\))")
_FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
_OPENING = re.compile(r"^(```\w*)[^\n]*")  # what tests read behind the language is not for readers
_LANGUAGES = {".robot": "robotframework", ".resource": "robotframework", ".py": "python", ".yaml": "yaml"}


def build() -> Path:
    """Puts the pages together, builds the site, and returns its folder."""
    shutil.rmtree(STAGE, ignore_errors=True)
    for source in _sources():
        _write(_page(source), _linked(source, source.read_text(encoding="utf-8")))
    _write(PAGES / "adr" / "index.md", _decisions())
    _write(PAGES / "reference" / "commands.md", _commands())
    _keywords()
    shutil.copytree(DOCS / "images", PAGES / "images")
    shutil.copy2(DOCS / "extra.css", PAGES)
    shutil.copy2(DOCS / "zensical.toml", STAGE)
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict", "--clean"]
    if subprocess.run(command, cwd=STAGE, check=False).returncode:
        raise SystemExit("the site was not built; its warnings are above")
    _without_network(STAGE / "site")
    _texts(STAGE / "site")
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(STAGE / "site", SITE)
    return SITE


def _sources() -> Iterator[Path]:
    return (path for path in sorted(DOCS.rglob("*.md")) if _is_page(path))


def _is_page(path: Path) -> bool:
    return not path.is_relative_to(SITE) and path.parent.name != "changes"  # fragments of release notes


def _page(path: Path) -> Path:
    """The page that shows a file of the project."""
    if path == DOCS / "README.md":
        return PAGES / "index.md"
    if path.is_relative_to(DOCS) and path.suffix in {".md", ".png", ".svg"} and _is_page(path):
        return PAGES / path.relative_to(DOCS)
    if path == DOCS / "adr":
        return PAGES / "adr" / "index.md"
    if path == DOCS / "keywords.html":
        return PAGES / "reference" / "keywords.md"
    relative = path.relative_to(ROOT)
    return PAGES / "files" / relative / "index.md" if path.is_dir() else PAGES / "files" / f"{relative}.md"


def _linked(source: Path, text: str) -> str:
    """A page whose links lead to pages of the site. Examples in fences stay as they are."""

    def link(match: re.Match[str]) -> str:
        target = (source.parent / match[2]).resolve()
        page = _page(target)
        if page.is_relative_to(PAGES / "files") and not page.exists():
            _show(target, page)
        return f"{match[1]}{os.path.relpath(page, _page(source).parent)}{match[3]}"

    parts = _FENCE.split(text)
    return "".join(
        _OPENING.sub(r"\1", part) if part.startswith("```") else _LINK.sub(link, part) for part in parts
    )


def _show(path: Path, page: Path) -> None:
    """Makes the page of a file, or of a folder with the pages of its files."""
    name = path.relative_to(ROOT)
    if not path.exists():
        raise SystemExit(f"a page links to {name}, which does not exist")
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.suffix in _LANGUAGES]
        rows = "\n".join(f"* [{file.name}](../{path.name}/{file.name}.md)" for file in files)
        _write(page, f"# {name}/\n\n{rows}\n")
        for file in files:
            _show(file, page.parent / f"{file.name}.md")
    elif path.suffix == ".md":
        _write(page, _linked(path, path.read_text(encoding="utf-8")))
    else:
        text = path.read_text(encoding="utf-8")
        _write(page, f"# {name}\n\n````{_LANGUAGES.get(path.suffix, 'text')}\n{text}\n````\n")


def _decisions() -> str:
    titles = {
        path.name: path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        for path in sorted((DOCS / "adr").glob("*.md"))
    }
    return "# Decisions\n\n" + "\n".join(f"* [{title}]({name})" for name, title in titles.items()) + "\n"


def _commands() -> str:
    """The help of `tester` and of each of its commands."""
    commands = sorted(path.stem for path in (ROOT / "TesterLibrary/commands").glob("[!_]*.py"))
    text = f"# Commands\n\n```text\n{_help()}```\n"
    for name in commands:
        if name != "main":
            text += f"\n## tester {name}\n\n```text\n{_help(name)}```\n"
    return text


def _help(*command: str) -> str:
    text = io.StringIO()
    with patch.dict(os.environ, COLUMNS="100"), redirect_stdout(text), suppress(SystemExit):
        cli.main([*command, "--help"])
    return text.getvalue()


def _keywords() -> None:
    """Libdoc's page with its own search, and a page of the site that shows it."""
    folder = PAGES / "reference"
    libdoc = [sys.executable, "-m", "robot.libdoc", "TesterLibrary", str(folder / "libdoc.html")]
    subprocess.run(libdoc, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    shutil.copy2(folder / "libdoc.html", DOCS / "keywords.html")
    frame = (
        '<iframe src="libdoc.html" title="Keywords" style="width: 100%; height: 80vh; border: 0"></iframe>'
    )
    _write(folder / "keywords.md", f"# Keywords\n\n[Open this page alone](libdoc.html)\n\n{frame}\n")


def _without_network(site: Path) -> None:
    """Gives the site its own copy of the script by which a page on a disk searches."""
    shutil.copy2(DOCS / "iframe-worker" / "shim.js", site / "assets" / "iframe-worker.js")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        own = os.path.relpath(site / "assets" / "iframe-worker.js", page.parent)
        page.write_text(text.replace("https://unpkg.com/iframe-worker/shim", own), encoding="utf-8")


def _texts(site: Path) -> None:
    """llms.txt: the titles of all pages with their addresses; llms-full.txt: all their text."""
    pages = sorted(path for path in PAGES.rglob("*.md") if not path.is_relative_to(PAGES / "files"))
    lines, texts = ["# TesterLibrary", ""], []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].lstrip("# ")
        address = page.relative_to(PAGES).with_suffix(".html")
        lines.append(f"- [{title}]({address})")
        texts.append(f"<!-- {address} -->\n{text}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (site / "llms-full.txt").write_text("\n".join(texts), encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(build())
