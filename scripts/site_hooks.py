"""For mkdocs: the README as the first page, and files outside docs/ that pages link to as part of the site."""

import os.path
import re
from pathlib import Path

from mkdocs.structure.files import File

TOP = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([\w./-]+)(?=[)#])")

# Orders of arrays, which look like references: [group][kernel row]
INDICES = re.compile(r"(?<!`)((?:\[[a-z ]+\]){2,})(?![(`])")


def outside(page, link):
    """The project's file that a page of docs/ links to, if it is none of docs/."""
    name = os.path.normpath(os.path.join("docs", os.path.dirname(page), link))
    return name if not name.startswith("docs/") and (TOP / name).is_file() else None


def links_outside(page, text):
    return {name for name in (outside(page, link) for link in LINK.findall(text)) if name}


def on_files(files, config):
    # README.md is written for the project's folder: seen from docs/ its links begin with "../".
    text = LINK.sub(lambda m: m[1].removeprefix("docs/") if m[1].startswith("docs/") else f"../{m[1]}",
                    (TOP / "README.md").read_text(encoding="utf-8"))
    files.append(File.generated(config, "index.md", content=text))
    names = links_outside("index.md", text)
    for path in (TOP / "docs").rglob("*.md"):
        names |= links_outside(path.relative_to(TOP / "docs").as_posix(), path.read_text(encoding="utf-8"))
    for name in sorted(names):
        files.append(File.generated(config, f"source/{name}.txt", content=(TOP / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, **_):
    def inside(match):
        name = outside(page.file.src_uri, match[1])
        return os.path.relpath(f"source/{name}.txt", os.path.dirname(page.file.src_uri) or ".") if name else match[0]

    return LINK.sub(inside, INDICES.sub(r"`\1`", markdown))
