"""Which parts a change asks for."""

from dataclasses import dataclass

from . import tree


@dataclass
class Touched:
    parts: dict  # by name, the files because of which
    alone: list  # files that no part names

    def text(self):
        lines = []
        for name, files in self.parts.items():
            more = f" and {len(files) - 3} more" if len(files) > 3 else ""
            lines.append(f"{name}: {', '.join(files[:3])}{more}")
        if not lines:
            lines.append("no part is touched")
        if self.alone:
            lines.append(f"covered by scripts/test.sh alone: {', '.join(self.alone)}")
        return "\n".join(lines)


def touched(files, where):
    found = {name: [] for name in where.parts}
    alone = []
    for path in files:
        names = where.of_file(path)
        for name in names:
            found[name].append(path)
        # Its table is made of the plan.
        if not names and path != tree.TABLE:
            alone.append(path)
    return Touched({name: because for name, because in found.items() if because}, alone)
