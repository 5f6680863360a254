r"""Scripts of PAA: devices that contribute, with holes for every number, time and key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from properties.holes import Holes
from properties.scripts import (
    ContributeTo,
    Run,
    Script,
    any_value,
    ask,
    ask_for_lists,
    discover,
    key,
    wait,
)
from properties.telling import key_text
from spec.private_aggregation_client import DeviceWindow, Event, Storage
from spec.system import PassTime

LAST_WINDOW = 10**7
"""The last time window that a unit of PAA may be in."""


@dataclass(frozen=True, slots=True)
class StoreAndContribute(ContributeTo):
    """Be the program that contributes a value to a key, and stores that it has run."""

    def __call__(self, storage: Storage) -> tuple[Storage, int, int]:
        """Return the storage with one entry more, the key and the value."""
        return storage.set(len(storage), True), self.key, self.value

    def told(self) -> str:
        """Tell what the program does."""
        return f"Contribute {self.value} to key {key_text(self.key)}, and store something."


def event(
    holes: Holes,
    run: Run,
    device: str,
    number: int,
    ad_tech: str = "ad-tech",
    value: int | None = None,
    kind: type[ContributeTo] = ContributeTo,
) -> None:
    """Let a device contribute any value to any key."""
    amount = any_value(holes, run, number) if value is None else value
    program = kind(key(holes, f"key_{number}"), amount)
    run.make(Event(report_id=number, device=device, program=program, ad_tech=ad_tech))


def window_of(holes: Holes) -> DeviceWindow:
    """Return the unit of a device in any time window."""
    return DeviceWindow(device="phone", window=holes.integer("window", 0, LAST_WINDOW))


def begin(holes: Holes, run: Run) -> None:
    """Let time pass to any moment of the unit's window."""
    window, length = holes.integer("window", 0, LAST_WINDOW), run.limits.window_length
    run.make(PassTime(until=window * length + holes.integer("start", 0, length - 1)))


def one_event(holes: Holes, run: Run) -> None:
    """Let a device contribute once, and ask for it later."""
    begin(holes, run)
    event(holes, run, "phone", 0)
    wait(holes, run, "wait_0")
    ask(run, run.limits.epsilon)


def keys_of_a_device(holes: Holes, run: Run) -> None:
    """Let a device contribute twice, and ask which keys there are."""
    begin(holes, run)
    event(holes, run, "phone", 0)
    event(holes, run, "phone", 1)
    wait(holes, run, "wait_0")
    discover(run)


def two_events(holes: Holes, run: Run) -> None:
    """Let a device contribute at two moments of a window."""
    begin(holes, run)
    event(holes, run, "phone", 0)
    wait(holes, run, "wait_0", most=run.limits.window_length)
    event(holes, run, "phone", 1)
    ask(run, run.limits.epsilon)


def three_events(holes: Holes, run: Run) -> None:
    """Let a device contribute twice in a window, then in any later one."""
    begin(holes, run)
    event(holes, run, "phone", 0)
    event(holes, run, "phone", 1)
    wait(holes, run, "wait_0")
    event(holes, run, "phone", 2)
    ask(run, run.limits.epsilon)


def storing_events(holes: Holes, run: Run) -> None:
    """Let a device contribute at two moments, and store something each time."""
    begin(holes, run)
    event(holes, run, "phone", 0, kind=StoreAndContribute)
    wait(holes, run, "wait_0")
    event(holes, run, "phone", 1, kind=StoreAndContribute)
    ask(run, run.limits.epsilon)


def two_devices(holes: Holes, run: Run) -> None:
    """Let another device contribute between two contributions of the unit."""
    begin(holes, run)
    event(holes, run, "phone", 0)
    event(holes, run, "tablet", 1)
    event(holes, run, "phone", 2)
    wait(holes, run, "wait_0")
    ask(run, run.limits.epsilon)


def two_ad_techs(holes: Holes, run: Run) -> None:
    """Let a device contribute for two ad-techs in one window."""
    begin(holes, run)
    event(holes, run, "phone", 0)
    event(holes, run, "phone", 1, ad_tech="another")
    ask(run, run.limits.epsilon)


def events_asked_twice(holes: Holes, run: Run) -> None:
    """Ask twice for one report that holds all a device may contribute, with any epsilons."""
    begin(holes, run)
    event(holes, run, "phone", 0, value=run.limits.contribution_budget)
    ask(run, holes.epsilon("epsilon_0", run.limits.epsilon))
    wait(holes, run, "wait_0")
    ask(run, holes.epsilon("epsilon_1", run.limits.epsilon))


def events_asked_for_lists(holes: Holes, run: Run) -> None:
    """Ask for one report that holds all a device may contribute, with one list after the other."""
    begin(holes, run)
    event(holes, run, "phone", 0, value=run.limits.contribution_budget)
    ask_for_lists(holes, run, 0, key(holes, "key_0"))


def devices_with_others(number: int) -> Callable[[Holes, Run], None]:
    """Return the script that asks for the unit's report together with null reports of others."""

    def play(holes: Holes, run: Run) -> None:
        begin(holes, run)
        event(holes, run, "phone", 0)
        for place in range(1, number + 1):
            idle = ContributeTo(0, 0)
            run.make(Event(report_id=place, device=f"tablet {place}", program=idle))
        ask(run, run.limits.epsilon)

    return play


def aggregation_scripts(ladder: tuple[int, ...]) -> tuple[Script, ...]:
    """Return the scripts about a device in a window, short ones first."""
    short = (one_event, two_events, three_events, events_asked_twice, two_devices, two_ad_techs)
    more = (storing_events, events_asked_for_lists)
    own = keys_of_a_device
    return (
        *(Script(name=x.__name__, unit=window_of, play=x) for x in (*short, *more)),
        Script(name=own.__name__, unit=window_of, play=own, discovers=True),
        *(
            Script(name=f"with {n} others", unit=window_of, play=devices_with_others(n))
            for n in ladder
        ),
    )
