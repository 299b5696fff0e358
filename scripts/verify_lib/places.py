"""Where parts belong: rooms of docs/explanation/architecture.md, lists of RTL files, other paths."""

import fnmatch
import posixpath
import re

from . import tree


def rooms_listed():
    """As scripts/check-rooms.py reads them."""
    text = (tree.TOP / "docs/explanation/architecture.md").read_text(encoding="utf-8").split("## The rooms", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([\w/]+)/?` \|", text, re.M)


def room_of(path, rooms):
    around = [room for room in rooms if path.startswith(room + "/")]
    return max(around, key=len, default=None)


def pattern(glob):
    """`*` stays within a folder, `**` does not."""
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(meanings.get(piece, re.escape(piece)) for piece in pieces) + r"\Z")


def matching(glob, names):
    fits = pattern(glob)
    return [name for name in names if fits.match(name)]


def rooms_like(glob, rooms):
    """A `*` among rooms is all that are below: `*` are all of them."""
    return [room for room in rooms if fnmatch.fnmatchcase(room, glob)]


def listed(path):
    """The files that a list of RTL names, and the list."""
    words = (tree.TOP / path).read_text(encoding="utf-8").split()
    return {path} | {posixpath.normpath(posixpath.join(posixpath.dirname(path), word)) for word in words}


def lists_in(files):
    return [f for f in files if f.endswith(".f")]


def unknown(parts, rooms):
    """What parts name and is not there."""
    files = tree.files()
    lists = lists_in(files)
    problems = []
    for part in parts.values():
        for glob in part.rooms:
            if not rooms_like(glob, rooms):
                problems.append(f"{part.name}: rooms: docs/explanation/architecture.md lists no {glob}")
        for glob in part.files:
            if not matching(glob, files):
                problems.append(f"{part.name}: files: there is no {glob}")
        for path in part.rtl:
            if path not in lists:
                problems.append(f"{part.name}: rtl: there is no file list {path}")
                continue
            for name in sorted(listed(path)):
                if not (tree.TOP / name).is_file():
                    problems.append(f"{part.name}: rtl: {path} names {name}, which does not exist")
    return problems


class Places:
    def __init__(self, parts, rooms):
        self.parts, self.rooms = parts, rooms
        self.named = {p.name: {room for glob in p.rooms for room in rooms_like(glob, rooms)} for p in parts.values()}
        self.rtl = {p.name: set().union(*(listed(path) for path in p.rtl)) for p in parts.values()}
        # Whoever takes all rooms does not say that it is there for one.
        self.meant = {p.name: {room for glob in p.rooms if glob != "*" for room in rooms_like(glob, rooms)} for p in parts.values()}
        self.files = {p.name: [pattern(glob) for glob in p.files] for p in parts.values()}
        self.built = {p.name: {room_of(path, rooms) for path in self.rtl[p.name]} - {None} for p in parts.values()}
        self.in_lists = set().union(*self.rtl.values())

    def of_room(self, room):
        return [name for name in self.parts if room in self.named[name] or room in self.built[name]]

    def of_file(self, path):
        """Parts that a change of it touches. RTL is named by lists; what is in none of them, by its room."""
        room = room_of(path, self.rooms)

        def touches(name):
            if path in self.rtl[name] or room in self.named[name]:
                return True
            if path not in self.in_lists and room in self.built[name]:
                return True
            return any(fits.match(path) for fits in self.files[name])

        return [name for name in self.parts if touches(name)]

    def nobody_names(self):
        meant = set().union(*self.meant.values(), *self.built.values())
        problems = [f"no part names the room {room}, apart from those with rooms = [\"*\"]" for room in self.rooms if room not in meant]
        used = {path for part in self.parts.values() for path in part.rtl}
        return problems + [f"no part names the file list {path}" for path in lists_in(tree.files()) if path not in used]
