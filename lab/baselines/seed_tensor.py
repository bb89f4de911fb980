"""From events to the seed's tensor: which holds are examples, their labels, what stands in each frame of each job.

A tensor is kept as the number of the state in each frame of each job, -1 for none, and becomes ones and zeros only when
it is multiplied (seed_network.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seed_log import ABORTED, HELD, RELEASED, TERMINATED, Log

DAY = 86_400
# Kinds of event that the seed counts, and that HTCondor 25 has.
STATES_THEN, STATES_NOW = 46, 48
# Hold reason codes with a state of their own when `code` is added; beyond them one for all others.
CODES = 50


@dataclass(frozen=True)
class Shape:
    """Jobs, frames, seconds of a frame."""

    jobs: int
    frames: int
    frame_seconds: int


@dataclass
class Example:
    """One released hold: numbers of the job and of two events of the log."""

    job: int
    held: int
    released: int
    label: int


def state_count(mended: frozenset[str]) -> int:
    """e: how many states there are."""
    return (STATES_NOW if "events" in mended else STATES_THEN) + ((CODES + 1) if "code" in mended else 0)


def states_of(log: Log, mended: frozenset[str]) -> np.ndarray:
    """The state that each event of the log stands for, -1 for an event beyond the last one known."""
    known = STATES_NOW if "events" in mended else STATES_THEN
    states = np.where((log.number >= 0) & (log.number < known), log.number, -1)
    if "code" in mended:
        code = np.where((log.code < 0) | (log.code >= CODES), CODES, log.code)
        states = np.where(log.number == HELD, known + code, states)
    return states.astype(np.int16)


def examples_of(log: Log, mended: frozenset[str], horizon: int) -> tuple[list[Example], np.ndarray]:
    """Released holds with a label, and which jobs may stand in the context."""
    examples: list[Example] = []
    context = np.ones(len(log.jobs), bool)
    for job in range(len(log.jobs)):
        events = log.of_job(job)
        numbers = log.number[events]
        cycles, held = [], None
        for at in np.flatnonzero((numbers == HELD) | (numbers == RELEASED)):
            if numbers[at] == HELD:
                held = at
            elif held is not None:
                cycles.append((held, at))
                held = None
        if not cycles:
            continue
        at_end = label_at_end(log, events[-1])
        if "label" not in mended and at_end is None:
            # The seed drops such a job from the context too.
            context[job] = False
            continue
        for held, released in cycles if "cycle" in mended else cycles[:1]:
            label = label_of_release(log, events[released:], horizon) if "label" in mended else at_end
            if label is not None:
                examples.append(Example(job, int(events[held]), int(events[released]), label))
    # A log is in order of time, and so are the examples.
    examples.sort(key=lambda example: example.held)
    return examples, context


def label_at_end(log: Log, event: int) -> int | None:
    """The seed's label: the last event of the job."""
    if log.number[event] == TERMINATED:
        return int(log.normal[event])
    return 0 if log.number[event] == ABORTED else None


def label_of_release(log: Log, events: np.ndarray, horizon: int) -> int | None:
    """The first outcome after the release `events[0]`: exit status 0, or a failure; none where a person decided."""
    for event in events[1:]:
        if log.time[event] > log.time[events[0]] + horizon:
            return None
        if log.number[event] == TERMINATED:
            return int(log.normal[event] and log.status[event] == 0)
        if log.number[event] == HELD:
            return None if log.code[event] == 1 else 0
        if log.number[event] == ABORTED:
            return None
    return None


class Tensors:
    """Makes tensors of holds."""

    def __init__(self, log: Log, shape: Shape, mended: frozenset[str], context: np.ndarray) -> None:
        self.log, self.shape, self.mended = log, shape, mended
        self.states = states_of(log, mended)
        # What the seed takes for the time.
        self.clock = log.time if "times" in mended else log.time % DAY
        in_context = np.flatnonzero(context[log.job])
        self.by_clock = in_context[np.argsort(self.clock[in_context], kind="stable")]
        self.sorted_clock = self.clock[self.by_clock]

    def of(self, job: int, held: int, random: np.random.Generator, cut: bool = False) -> np.ndarray:
        """`int16 [jobs, frames]`. With `cut` only what the log had when the hold was written, as for a user who asks
        then; with the times mended it is always so."""
        cut = cut or "times" in self.mended
        end = self.clock[held]
        first, last = np.searchsorted(self.sorted_clock, [end - self.window, end + 1])
        seen = self.by_clock[first:last]
        seen = seen[seen <= held] if cut else seen
        seen = np.unique(self.log.job[seen])
        # The seed draws jobs until it has enough that have an event in the window; when there are none left it would
        # go on for ever, here the rest stays empty.
        others = random.permutation(seen)[: self.shape.jobs - 1]
        return self.frames([job, *others], held, cut)

    @property
    def window(self) -> int:
        return self.shape.frames * self.shape.frame_seconds

    def frames(self, jobs: list[int], held: int, cut: bool) -> np.ndarray:
        """What stands in each frame of the jobs."""
        m, length = self.shape.frames, self.shape.frame_seconds
        spans = [self.log.of_job(int(job)) for job in jobs]
        events = np.concatenate(spans)
        slot = np.repeat(np.arange(len(jobs)), [len(span) for span in spans])
        known = self.states[events] >= 0
        if cut:
            known &= events <= held
        events, slot = events[known], slot[known]
        age = self.clock[held] - self.clock[events]
        state = self.states[events]
        out = np.full((self.shape.jobs, m), -1, np.int16)
        if "order" in self.mended:
            if "times" in self.mended:
                # The state a job had before the window goes on into it.
                age = np.minimum(age, self.window - 1)
            inside = (age >= 0) & (age < self.window)
            # Of several events in a frame the last one of the log is assigned last, and stays.
            out[slot[inside], m - 1 - age[inside] // length] = state[inside]
            return filled(out, out)
        inside = (age >= 0) & (age <= self.window)
        slot, age, state = slot[inside], age[inside], state[inside]
        # Both ends of a frame belong to it: an event on an edge stands in two.
        frame = age // length
        on_edge = (age % length == 0) & (age > 0)
        slot, state, frame = (
            np.r_[slot, slot[on_edge]],
            np.r_[state, state[on_edge]],
            np.r_[frame, frame[on_edge] - 1],
        )
        order = np.argsort(np.r_[np.arange(len(age)), np.flatnonzero(on_edge)], kind="stable")
        order = order[frame[order] < m]
        out[slot[order], frame[order]] = state[order]
        first = out.copy()
        newest = order[frame[order] == 0][::-1]
        first[slot[newest], 0] = state[newest]
        return filled(first, out)


def filled(selected: np.ndarray, last: np.ndarray) -> np.ndarray:
    """`selected`, with what is empty taken from `last` of the nearest frame before that is not."""
    frame = np.where(selected >= 0, np.arange(selected.shape[1]), 0)
    source = np.maximum.accumulate(frame, 1)
    return np.where(selected >= 0, selected, np.take_along_axis(last, source, 1))


def as_sequence(tensor: np.ndarray, mended: frozenset[str]) -> np.ndarray:
    """`[n, jobs, frames]` as the model is given it, `[n, frames, jobs]`: a transpose, or the seed's reshape of
    (jobs, frames, states) to (frames, jobs * states), which keeps the states together and lays the rest out anew."""
    n, jobs, frames = tensor.shape
    return tensor.transpose(0, 2, 1) if "reshape" in mended else tensor.reshape(n, frames, jobs)
