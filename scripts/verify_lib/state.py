"""What a part has done with the sources as they are, kept from one call to the next."""

import json
import time

from . import tree


class State:
    def __init__(self, part, digest, again=False):
        self.path = tree.WORK / "state" / f"{part}.json"
        self.digest, self.seconds, self.steps, self.date = digest, 0.0, {}, ""
        if again:
            return
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            if kept["digest"] == digest:
                self.seconds, self.steps, self.date = kept["seconds"], kept["steps"], kept["date"]
        except (OSError, ValueError, KeyError):
            pass  # another version's, or none: begins anew

    def is_done(self, step):
        return self.steps.get(step.name, {}).get("result") in ("passed", "skipped")

    def finish(self, step, outcome, seconds):
        """`seconds`: by the clock, of all steps until now."""
        self.steps[step.name] = outcome
        self.seconds = seconds
        self.date = time.strftime("%Y-%m-%d", time.gmtime())
        kept = {"digest": self.digest, "date": self.date, "seconds": seconds, "steps": self.steps}
        tree.write_whole(self.path, json.dumps(kept, indent=1) + "\n")
