"""scripts/verify.toml, held against the tree: what it names is there, and what is there it names."""

import re
import tomllib
from dataclasses import dataclass, field

from . import places, tree
from .problem import Problem

MOST_MINUTES = 20
PLAN = "scripts/verify.toml"


@dataclass(frozen=True)
class Part:
    name: str
    what: str = ""
    minutes: float = 0
    steps: list = field(default_factory=list)
    ctest: str = ""
    count: int = 0
    step: str = ""
    install: list = field(default_factory=list)
    build: list = field(default_factory=lambda: ["all"])
    rooms: list = field(default_factory=list)
    files: list = field(default_factory=list)
    rtl: list = field(default_factory=list)
    jobs: int = 2
    timeout: int = 1500  # seconds of a step


TEXTS = ("what", "ctest", "step")
LISTS = ("steps", "install", "build", "rooms", "files", "rtl")
NUMBERS = ("count", "jobs", "timeout")

NUMBERED = re.compile(r"\{i(?:\*(\d+))?(?:\+(\d+))?\}")


def numbered(step, i):
    """The step with {i}, {i*4}, {i+1} and {i*4+1} as numbers."""
    return NUMBERED.sub(lambda m: str(i * int(m[1] or 1) + int(m[2] or 0)), step)


def typed(key, value):
    """What is wrong with the kind of a value, or ""."""
    if key in TEXTS:
        return "" if isinstance(value, str) and value.strip() and "\n" not in value else "must be one line of text"
    if key in LISTS:
        good = isinstance(value, list) and all(isinstance(v, str) and v for v in value)
        return "" if good else "must be a list of texts"
    if key in NUMBERS:
        return "" if type(value) is int and value > 0 else "must be a whole number above 0"
    good = type(value) in (int, float) and 0 < value <= MOST_MINUTES
    return "" if good else f"must be above 0 and at most {MOST_MINUTES}: a longer part is split"


def wrong_keys(name, table):
    known = Part.__dataclass_fields__.keys() - {"name"}
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        yield f"{name}: names have small letters, digits and single hyphens"
    for key, value in table.items():
        wrong = typed(key, value) if key in known else f"unknown; known are {', '.join(sorted(known))}"
        if wrong:
            yield f"{name}: {key}: {wrong}"
    for key in ("what", "minutes"):
        if key not in table:
            yield f"{name}: {key}: missing"
    if ("count" in table) != ("step" in table):
        yield f"{name}: {'step' if 'count' in table else 'count'}: missing, as one does not go without the other"
    if not any(table.get(key) for key in ("steps", "ctest", "step")):
        yield f"{name}: steps: missing, and neither ctest nor count and step: nothing is compared"
    if not any(table.get(key) for key in ("rooms", "files", "rtl")):
        yield f"{name}: rooms: missing, and neither files nor rtl: no change would ask for it"


def wrong_values(part, levels):
    try:
        re.compile(part.ctest)
    except re.error as error:
        yield f"ctest: {error}"
    if part.step and not NUMBERED.search(part.step):
        yield "step: does not use {i}: all of them would be the same"
    for found in re.findall(r"\{i\b[^}]*\}?", NUMBERED.sub("", part.step)):
        yield f"step: {found} is none of {{i}}, {{i*A}}, {{i+B}}, {{i*A+B}}"
    for level in part.install:
        if level not in levels:
            yield f"install: scripts/install.sh knows no {level}"


def install_levels():
    path = tree.TOP / "scripts/install.sh"
    found = re.search(r"scripts/install\.sh \[([\w|]+)\]", path.read_text(encoding="utf-8")) if path.exists() else None
    return found[1].split("|") if found else []


def read():
    """Parts by name, in the file's order, and the rooms; all that is wrong with them at once."""
    try:
        with open(tree.TOP / PLAN, "rb") as file:
            data = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Problem(f"{PLAN}: {error}") from None
    tables = data.get("parts", {})
    problems = [f"{key}: unknown; there is only [parts.NAME]" for key in data if key != "parts"]
    if not tables:
        problems.append("no parts")
    for name, table in tables.items():
        problems += wrong_keys(name, table)
    rooms = places.rooms_listed()
    parts = {}
    # What follows relies on the kinds of values.
    if not problems:
        parts = {name: Part(name, **table) for name, table in tables.items()}
        levels = install_levels()
        for part in parts.values():
            problems += [f"{part.name}: {text}" for text in wrong_values(part, levels)]
        problems += places.unknown(parts, rooms)
    if not problems:
        problems = places.Places(parts, rooms).nobody_names()
    if problems:
        raise Problem("".join(f"\n{PLAN}: {text}" for text in problems).lstrip())
    return parts, rooms
