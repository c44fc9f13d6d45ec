"""A fast interpreter of ALFWorld games that answers word for word like TextWorld.

What ALFWorld's domain says is coded here directly. What looks like a mistake below is one of the
original: `look` finds only objects that were once taken from a receptacle at hand, `use` always
turns on, the microwave heats with its door shut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from worldmodel.environments.alfworld.game import Game
from worldmodel.environments.alfworld.room import Room, State

NOTHING = "Nothing happens."


class TextEngine(Protocol):
    """What both engines offer, in the same words. `won`: whether the goal holds now."""

    won: bool

    def reset(self) -> str:
        """Start the game anew; the opening text."""
        ...

    def step(self, command: str) -> tuple[str, bool]:
        """Carry a command out; the answer and `won`."""
        ...

    def admissible(self) -> list[str]:
        """The commands that would not be answered with "Nothing happens.", sorted."""
        ...


class FastEngine:
    """The interpreter. `copy` costs no more than a reference: states are immutable values."""

    __slots__ = ("room", "state", "won")

    def __init__(self, game: Game) -> None:
        self.room = Room(game)
        self.reset()

    def copy(self) -> FastEngine:
        """A second engine in the same state, which goes its own way from here."""
        twin = FastEngine.__new__(FastEngine)
        twin.room, twin.state, twin.won = self.room, self.state, self.won
        return twin

    def reset(self) -> str:
        self.state: State = self.room.start
        self.won: bool = self.room.reached(self.state)
        around = self._look() if self._here() else _around(self.room.in_order(list(self.room.location_of)))
        return f"-= Welcome to TextWorld, ALFRED! =-\n\n{around}\n\nYour task is to: {self.room.game.task}"

    def step(self, command: str) -> tuple[str, bool]:
        verb, _, rest = command.strip().partition(" ")
        act = _VERBS.get(verb)
        before = self.state
        answer = act(self, verb, rest) if act else None  # None: not admissible
        if self.state is not before:
            self.won = self.room.reached(self.state)
        return answer or NOTHING, self.won

    def admissible(self) -> list[str]:
        room, state = self.room, self.state
        commands = list(room.ways[state.at])
        for receptacle in self._here():
            if receptacle in room.openable:
                commands.append(f"{'close' if receptacle in state.opened else 'open'} {receptacle}")
            contents = state.contents[receptacle]
            commands += [f"use {thing}" for thing in contents if thing in room.toggleable]
            if state.held is not None:
                commands += self._uses_of(state.held, receptacle)
            elif self._accessible(receptacle):
                commands += [f"take {o} from {receptacle}" for o in contents if o in room.pickupable]
        if state.held is not None:
            commands.append(f"examine {state.held}")
            if state.held in room.knives:
                commands += [
                    f"slice {o} with {state.held}" for o, at in state.lying if self._sliceable(o, at)
                ]
        return sorted(set(commands))

    def _uses_of(self, held: str, receptacle: str) -> list[str]:
        """The commands for what is in the hand, at a receptacle."""
        room = self.room
        commands = [f"{verb} {held} with {receptacle}" for verb in room.treatments(held, receptacle)]
        if self._accessible(receptacle) and room.fits(held, receptacle):
            wording = room.game.wording
            commands.append(f"{wording.put} {held} {wording.to} {receptacle}")
        return commands

    def _here(self) -> tuple[str, ...]:
        return self.room.receptacles_at.get(self.state.at, ())

    def _at(self, receptacle: str) -> bool:
        return self.room.location_of.get(receptacle) == self.state.at

    def _accessible(self, receptacle: str) -> bool:
        return receptacle not in self.room.openable or receptacle in self.state.opened

    def _sliceable(self, thing: str, location: str) -> bool:
        return thing in self.room.sliceable and location == self.state.at

    def _describe_receptacle(self, receptacle: str) -> str:
        contents = phrase([f"a {thing}" for thing in self.state.contents[receptacle]])
        if receptacle not in self.room.openable:
            return f"On the {receptacle}, you see {contents}."
        if receptacle in self.state.opened:
            return f"The {receptacle} is open. In it, you see {contents}."
        return f"The {receptacle} is closed."

    def _describe_object(self, thing: str) -> str:
        room, state = self.room, self.state
        if thing in room.vessels:
            inside = phrase(
                [f"a {inner}" for inner, outer in room.inside if outer == thing and inner != thing]
            )
            return f"This is a normal {thing}. In it, you see {inside}."
        clean, hot, sliced = thing in state.clean, thing in state.hot, thing in state.sliced
        cool = thing in state.cool and not hot
        cold = "cold" if not clean and not sliced else "cool"
        heat = "hot" if hot else cold if cool else ""
        traits = " and ".join(filter(None, [heat, "clean" if clean else ""]))
        if traits:
            return f"This is a {traits}{' sliced' if sliced else ''} {thing}."
        if thing in room.toggleable and thing in state.toggled:
            return f"This {thing} is on."
        if sliced and thing in room.sliceable:
            return f"This is a sliced {thing}."
        return f"There's nothing special about {thing}."

    # One method a verb. It gives the answer, or None where the command is not admissible.

    def _go(self, _: str, rest: str) -> str | None:
        to, _, receptacle = rest.partition(" ")
        location = self.room.location_of.get(receptacle)
        if to != "to" or location is None or location == self.state.at:
            return None
        self.state = self.state._replace(at=location)
        place = receptacle if self.room.game.wording.arrive_by_name else location
        return f"You arrive at {place}. {self._describe_receptacle(receptacle)}"

    def _open(self, _: str, receptacle: str) -> str | None:
        if not self._at(receptacle) or self._accessible(receptacle):
            return None
        self.state = self.state._replace(opened=self.state.opened | {receptacle})
        return f"You open the {receptacle}. {self._describe_receptacle(receptacle)}"

    def _close(self, _: str, receptacle: str) -> str | None:
        if not self._at(receptacle) or receptacle not in self.state.opened:
            return None
        self.state = self.state._replace(opened=self.state.opened - {receptacle})
        return f"You close the {receptacle}."

    def _take(self, _: str, rest: str) -> str | None:
        thing, _, receptacle = rest.partition(" from ")
        state = self.state
        if state.held is not None or not self._at(receptacle) or not self._accessible(receptacle):
            return None
        contents = state.contents[receptacle]
        if thing not in contents or thing not in self.room.pickupable:
            return None
        self.state = state._replace(
            held=thing,
            contents={**state.contents, receptacle: tuple([o for o in contents if o != thing])},
            lying=state.lying - {(thing, state.at)},
            taken=state.taken | {(thing, receptacle)},
        )
        return f"You pick up the {thing} from the {receptacle}."

    def _put(self, verb: str, rest: str) -> str | None:
        wording, state = self.room.game.wording, self.state
        thing, _, receptacle = rest.partition(f" {wording.to} ")
        if verb != wording.put or state.held != thing or not self._at(receptacle):
            return None
        if not self._accessible(receptacle) or not self.room.fits(thing, receptacle):
            return None
        contents = {*state.contents[receptacle], thing}
        self.state = state._replace(
            held=None,
            contents={**state.contents, receptacle: self.room.in_order(contents)},
            lying=state.lying | {(thing, state.at)},
            taken=state.taken - {(thing, receptacle)},
        )
        return f"You {verb} the {thing} {wording.to} the {receptacle}."

    def _treat(self, verb: str, rest: str) -> str | None:
        thing, _, receptacle = rest.partition(" with ")
        state = self.state
        if state.held != thing or not self._at(receptacle):
            return None
        if verb not in self.room.treatments(thing, receptacle):
            return None
        if verb == "clean":
            self.state = state._replace(clean=state.clean | {thing})
        elif verb == "heat":
            self.state = state._replace(hot=state.hot | {thing}, cool=state.cool - {thing})
        else:
            self.state = state._replace(cool=state.cool | {thing}, hot=state.hot - {thing})
        return f"You {verb} the {thing} using the {receptacle}."

    def _use(self, _: str, thing: str) -> str | None:
        if thing not in self.room.toggleable:
            return None
        if not any(thing in self.state.contents[receptacle] for receptacle in self._here()):
            return None
        self.state = self.state._replace(toggled=self.state.toggled | {thing})
        return f"You turn on the {thing}."

    def _slice(self, _: str, rest: str) -> str | None:
        thing, _, knife = rest.partition(" with ")
        state = self.state
        if state.held != knife or knife not in self.room.knives:
            return None
        if thing not in self.room.sliceable or (thing, state.at) not in state.lying:
            return None
        self.state = state._replace(sliced=state.sliced | {thing})
        return f"You sliced the {thing} with the {knife}."

    def _examine(self, _: str, name: str) -> str | None:
        if self._at(name):
            return self._describe_receptacle(name)
        return self._describe_object(name) if name == self.state.held else None

    def _inventory(self, _: str, rest: str) -> str | None:
        if rest:
            return None
        held = self.state.held
        return "You are not carrying anything." if held is None else f"You are carrying: a {held}."

    def _look(self, _: str = "look", rest: str = "") -> str | None:
        here, state = self._here(), self.state
        if rest:
            return None
        if not here:
            return _around(())
        lying = self.room.in_order([thing for thing, at in state.lying if at == state.at])
        beside = [f"a {thing}" for thing in lying for r in here if (thing, r) in state.taken]
        return f"You are facing the {phrase(here)}. Next to it, you see {phrase(beside)}."

    def _help(self, _: str, rest: str) -> str | None:
        return None if rest or not self.room.game.wording.has_help else _HELP


def phrase(parts: Sequence[str]) -> str:
    """A list as ALFWorld says it: ``nothing``, ``a``, ``a, and b``, ``a, b, and c``."""
    if len(parts) < 2:
        return parts[0] if parts else "nothing"
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _around(receptacles: Sequence[str]) -> str:
    seen = phrase([f"a {receptacle}" for receptacle in receptacles])
    return f"You are in the middle of a room. Looking quickly around you, you see {seen}."


_VERBS: dict[str, Callable[[FastEngine, str, str], str | None]] = {
    "go": FastEngine._go,
    "open": FastEngine._open,
    "close": FastEngine._close,
    "take": FastEngine._take,
    "move": FastEngine._put,
    "put": FastEngine._put,
    "clean": FastEngine._treat,
    "heat": FastEngine._treat,
    "cool": FastEngine._treat,
    "use": FastEngine._use,
    "slice": FastEngine._slice,
    "examine": FastEngine._examine,
    "inventory": FastEngine._inventory,
    "look": FastEngine._look,
    "help": FastEngine._help,
}
_HELP = """\
Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
"""
