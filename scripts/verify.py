#!/usr/bin/env python3
"""Runs the parts of scripts/verify.toml, step by step: verify.sh [PART...].

A step that has passed is not run again until a source changes: a part that was stopped goes on where it was. What a
part said is kept in docs/results/verified.json, and docs/results/verified.md is made of it.
"""

import argparse
import os
import sys

from verify_lib import choice, pages, places, plan, record, session, tree
from verify_lib.problem import Problem
from verify_lib.state import State


def arguments():
    parser = argparse.ArgumentParser(prog="verify.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="these; default: all")
    parser.add_argument("--since", metavar="COMMIT", help="parts that a change since then touches, with what is not committed")
    parser.add_argument("--again", action="store_true", help="forget finished steps")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--list", action="store_true", help="what the parts verify, and what they said last")
    shown.add_argument("--plan", action="store_true", help="the steps that are left; runs nothing")
    shown.add_argument("--page", action="store_true", help="write docs/results/verified.md and the table of CONTRIBUTING.md")
    shown.add_argument("--check-page", action="store_true", help="whether both are current")
    shown.add_argument("--last", metavar="PART", help="the commit at which it last passed with nothing left to commit")
    return parser.parse_args()


def chosen(parts, options, where):
    wanted = [parts.get(name) for name in options.parts] if options.parts else list(parts.values())
    if None in wanted:
        unknown = [name for name in options.parts if name not in parts]
        raise Problem(f"no such part: {', '.join(unknown)} (scripts/verify.sh --list)")
    if options.since is None:
        return wanted
    touched = choice.touched(tree.changed_since(options.since), where)
    print(touched.text(), flush=True)
    return [part for part in wanted if part.name in touched.parts]


def main():
    options = arguments()
    # Asked by CI before a build is there, and answered from the record alone.
    if options.last:
        commit = record.last_clean(options.last)
        if commit:
            print(commit)
        return 0 if commit else 1
    parts, rooms = plan.read()
    where = places.Places(parts, rooms)
    if options.page or options.check_page:
        stale = pages.update(parts, where, write=options.page)
        for path in stale:
            print(f"{path} {'written' if options.page else 'is not current: scripts/verify.sh --page'}")
        return 1 if stale and options.check_page else 0
    selected = chosen(parts, options, where)
    if options.list:
        print(pages.listing(selected))
        return 0
    with tree.Content() as content:
        if options.plan:
            digest = content.now()
            for part in selected:
                print(session.planned(part, State(part.name, digest, options.again)))
            return 0
        return session.run(selected, parts, where, content, options.again)


if __name__ == "__main__":
    # Read by `head`, too.
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"verify: {problem}")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
