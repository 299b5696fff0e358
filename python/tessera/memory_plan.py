"""Memory plans of activations."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Union

import pandas as pd

from ._calls import Progress, command
from ._request import Model, Question, Setting


class MemoryPlan:
    """Where activations lie in external memory.

    Attributes:
        json: What ``cosim plan --json`` writes.
        buffers: A row per activation: name, first and last unit of work that needs it (``lower``, ``upper``, the
            latter not included), bytes, offset in the arena.
        arena_bytes: Bytes of the arena.
        lower_bound_bytes: No plan in this order needs fewer.
        proved_optimal: The two are the same.
    """

    def __init__(self, text: str) -> None:
        self.json = text
        self.data: Dict[str, Any] = json.loads(text)
        self.buffers = pd.DataFrame(self.data["buffers"])
        self.arena_bytes: int = self.data["arena_bytes"]
        self.lower_bound_bytes: int = self.data["lower_bound_bytes"]
        self.proved_optimal: bool = self.data["proved_optimal"]

    def __repr__(self) -> str:
        proof = "proved optimal" if self.proved_optimal else f"at least {self.lower_bound_bytes}"
        return f"MemoryPlan({self.data['name']}: {self.arena_bytes} bytes, {proof})"


def plan(
    model: Optional[Model] = None,
    *,
    config: Optional[Union[str, "os.PathLike[str]"]] = None,
    hardware: Optional[Setting] = None,
    policy: Optional[Setting] = None,
    planner: Optional[str] = None,
    order: Optional[str] = None,
    capacity: Optional[int] = None,
    budget: Optional[int] = None,
    seed: Optional[int] = None,
    **overrides: Setting,
) -> MemoryPlan:
    """Order and offsets of a network's activations, without simulating.

    Args:
        model: See `simulate`; None: the configuration's.
        config: See `simulate`.
        hardware: See `simulate`.
        policy: See `simulate`.
        planner: best, greedy-size, greedy-breadth, removal or exact.
        order: best, given, greedy or exact.
        capacity: Bytes; any plan up to it will do.
        budget: Steps of search.
        seed: See `simulate`.
        **overrides: See `simulate`.

    Raises:
        InputError: Something that was given is wrong.
    """
    with Question(model, config, {"hardware": hardware, "policy": policy, "seed": seed}, overrides) as question:
        path = question.folder / "plan.json"
        arguments = ["plan", *question.arguments(), "--json", str(path), "--quiet"]
        for option, value in (("planner", planner), ("order", order), ("capacity", capacity), ("budget", budget)):
            if value is not None:
                arguments += [f"--{option}", str(value)]
        command(arguments, Progress(False, "plan"), question.rename)
        return MemoryPlan(path.read_text(encoding="utf-8"))
