"""docs/results/verified.json: what each part said last, and where it last passed."""

import json

from . import tree
from .problem import Problem

SCHEMA = "tessera.verified/1"


def read():
    path = tree.TOP / tree.RECORD
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Problem(f"{tree.RECORD}: {error}") from None
    if data.get("schema") != SCHEMA:
        raise Problem(f"{tree.RECORD}: schema is {data.get('schema')}, not {SCHEMA}")
    return data["parts"]


def write(part, result, count, state, clean, parts):
    """Parts that are no more are dropped."""
    kept = {name: entry for name, entry in read().items() if name in parts}
    commit = tree.commit_of("HEAD")
    passed = commit if clean and result == "passed" else kept.get(part.name, {}).get("passed_at")
    kept[part.name] = {
        "commit": commit, "clean": clean, "date": state.date, "result": result, "steps": count,
        "seconds": round(state.seconds), "processor_seconds": round(sum(s["processor_seconds"] for s in state.steps.values())),
        **({"passed_at": passed} if passed else {})}
    tree.write_whole(tree.TOP / tree.RECORD, json.dumps({"schema": SCHEMA, "parts": kept}, indent=1, sort_keys=True) + "\n")


def last_clean(name):
    """The commit at which it last passed, when this one descends from it."""
    commit = read().get(name, {}).get("passed_at")
    try:
        if commit:
            tree.git("merge-base", "--is-ancestor", commit, "HEAD")
    except Problem:
        return None
    return commit
