"""For mkdocs: the README as the first page, and files outside docs/ that pages link to as part of the site."""

import re
from pathlib import Path

from mkdocs.structure.files import File

TOP = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<=\]\()\.\./([\w./-]+)(?=[)#])")

# Orders of arrays, which look like references: [group][kernel row]
INDICES = re.compile(r"(?<!`)((?:\[[a-z ]+\]){2,})(?![(`])")


def linked():
    names = set()
    for page in sorted((TOP / "docs").glob("*.md")):
        names |= set(LINK.findall(page.read_text(encoding="utf-8")))
    return sorted(name for name in names if (TOP / name).is_file())


def on_files(files, config):
    # README.md is written for the project's folder.
    text = (TOP / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    text = re.sub(r"\]\((?!https?:|#)((?!images/)[\w./-]+)\)", lambda m: inside(m[0], m[1]), text)
    files.append(File.generated(config, "index.md", content=text))
    for name in linked():
        files.append(File.generated(config, f"source/{name}.txt", content=(TOP / name).read_text(encoding="utf-8")))
    for name in re.findall(r"\]\(source/([\w./-]+)\.txt\)", text):
        if files.get_file_from_path(f"source/{name}.txt") is None:
            content = (TOP / name).read_text(encoding="utf-8")
            files.append(File.generated(config, f"source/{name}.txt", content=content))
    return files


def inside(link, name):
    return link if (TOP / "docs" / name).exists() else f"](source/{name}.txt)"


def on_page_markdown(markdown, **_):
    markdown = INDICES.sub(r"`\1`", markdown)
    return LINK.sub(lambda m: f"source/{m[1]}.txt" if (TOP / m[1]).is_file() else m[0], markdown)
