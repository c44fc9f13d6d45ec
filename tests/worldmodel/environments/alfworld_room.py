"""A tiny room made by hand, with one of each of ALFWorld's oddities in it."""

from __future__ import annotations

from typing import Any

OBJECTS = """
    agent1 - agent
    loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 - location
    Desk_bar_1 Drawer_bar_1 Drawer_bar_2 CounterTop_bar_1 CoffeeMachine_bar_1
    Sink_bar_1_bar_SinkBasin Microwave_bar_1 Fridge_bar_1 - receptacle
    Mug_bar_1 Mug_bar_2 Apple_bar_1 Bowl_bar_1 Knife_bar_1 DeskLamp_bar_1 Pen_bar_1 Painting_bar_1 - object
    DeskType DrawerType CounterTopType CoffeeMachineType SinkBasinType MicrowaveType FridgeType - rtype
    SinkType MugType AppleType BowlType KnifeType ButterKnifeType DeskLampType PenType PaintingType - otype
"""

# Desk and drawers share location 1; the counter and the coffee machine, location 2. Drawer 1 (file
# id 2) has no door. Mug 1 stands in the machine and on the counter at once; apple 1 lies on the
# counter, and bowl 1 seems to lie at the fridge but is listed on the desk.
FACTS = """
    (atLocation agent1 loc_bar_0)
    (receptacleType Desk_bar_1 DeskType) (receptacleAtLocation Desk_bar_1 loc_bar_1)
    (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_1)
    (receptacleType Drawer_bar_2 DrawerType) (receptacleAtLocation Drawer_bar_2 loc_bar_1)
    (receptacleType CounterTop_bar_1 CounterTopType) (receptacleAtLocation CounterTop_bar_1 loc_bar_2)
    (receptacleType CoffeeMachine_bar_1 CoffeeMachineType)
    (receptacleAtLocation CoffeeMachine_bar_1 loc_bar_2)
    (receptacleType Sink_bar_1_bar_SinkBasin SinkBasinType)
    (receptacleAtLocation Sink_bar_1_bar_SinkBasin loc_bar_3)
    (receptacleType Microwave_bar_1 MicrowaveType) (receptacleAtLocation Microwave_bar_1 loc_bar_4)
    (receptacleType Fridge_bar_1 FridgeType) (receptacleAtLocation Fridge_bar_1 loc_bar_5)
    (openable Drawer_bar_1) (openable Microwave_bar_1) (openable Fridge_bar_1)
    (objectType Mug_bar_1 MugType) (objectType Mug_bar_2 MugType) (objectType Apple_bar_1 AppleType)
    (objectType Bowl_bar_1 BowlType) (objectType Knife_bar_1 KnifeType)
    (objectType DeskLamp_bar_1 DeskLampType) (objectType Pen_bar_1 PenType)
    (objectType Painting_bar_1 PaintingType)
    (inReceptacle Mug_bar_1 Desk_bar_1) (objectAtLocation Mug_bar_1 loc_bar_1)
    (inReceptacle Mug_bar_2 CounterTop_bar_1) (inReceptacle Mug_bar_2 CoffeeMachine_bar_1)
    (objectAtLocation Mug_bar_2 loc_bar_2)
    (inReceptacle Apple_bar_1 CounterTop_bar_1) (objectAtLocation Apple_bar_1 loc_bar_2)
    (inReceptacle Knife_bar_1 CounterTop_bar_1) (objectAtLocation Knife_bar_1 loc_bar_2)
    (inReceptacle Bowl_bar_1 Desk_bar_1) (objectAtLocation Bowl_bar_1 loc_bar_5)
    (inReceptacle DeskLamp_bar_1 Desk_bar_1) (objectAtLocation DeskLamp_bar_1 loc_bar_1)
    (inReceptacle Pen_bar_1 Drawer_bar_1) (objectAtLocation Pen_bar_1 loc_bar_1)
    (inReceptacle Painting_bar_1 Desk_bar_1) (objectAtLocation Painting_bar_1 loc_bar_1)
    (inReceptacleObject Pen_bar_1 Bowl_bar_1)
    (pickupable Mug_bar_1) (pickupable Mug_bar_2) (pickupable Apple_bar_1) (pickupable Bowl_bar_1)
    (pickupable Knife_bar_1) (pickupable Pen_bar_1)
    (isReceptacleObject Mug_bar_1) (isReceptacleObject Mug_bar_2) (isReceptacleObject Bowl_bar_1)
    (cleanable Apple_bar_1) (cleanable Mug_bar_1) (cleanable Mug_bar_2) (cleanable Knife_bar_1)
    (heatable Apple_bar_1) (heatable Mug_bar_1) (heatable Mug_bar_2)
    (coolable Apple_bar_1) (coolable Mug_bar_1) (coolable Mug_bar_2) (coolable Bowl_bar_1)
    (sliceable Apple_bar_1) (toggleable DeskLamp_bar_1)
    (canContain DeskType MugType) (canContain DeskType AppleType) (canContain DeskType PenType)
    (canContain DeskType BowlType) (canContain DeskType KnifeType)
    (canContain DrawerType PenType) (canContain DrawerType KnifeType)
    (canContain CounterTopType MugType) (canContain CounterTopType AppleType)
    (canContain CounterTopType KnifeType) (canContain CounterTopType BowlType)
    (canContain CoffeeMachineType MugType) (canContain SinkBasinType MugType)
    (canContain SinkBasinType AppleType) (canContain MicrowaveType MugType)
    (canContain MicrowaveType AppleType) (canContain FridgeType MugType) (canContain FridgeType AppleType)
    (canContain FridgeType BowlType)
"""

PLACE = """(and (exists (?r - receptacle) (exists (?o - object) (and
    (inReceptacle ?o ?r) (objectType ?o PenType) (receptacleType ?r DeskType)))))"""
TWO = """(and (exists (?r - receptacle) (exists (?o1 - object) (and
    (objectType ?o1 MugType) (receptacleType ?r CounterTopType) (inReceptacle ?o1 ?r)
    (exists (?o2 - object) (and (not (= ?o1 ?o2)) (objectType ?o2 MugType)
        (receptacleType ?r CounterTopType) (inReceptacle ?o2 ?r)))))))"""
LOOK = """(and
    (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and
        (objectType ?ot DeskLampType) (toggleable ?ot) (isToggled ?ot)
        (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)))
    (exists (?o - object ?a - agent) (and (objectType ?o AppleType) (holds ?a ?o))))"""


def treat(state: str, flag: str, kind: str, place: str) -> str:
    """The goal of a clean, heat or cool task."""
    return f"""(and (exists (?r - receptacle) (exists (?o - object) (and
        ({flag} ?o) (objectType ?o {kind}Type) (receptacleType ?r {place}Type) ({state} ?o)
        (inReceptacle ?o ?r)))))"""


def problem(goal: str = PLACE, facts: str = FACTS, objects: str = OBJECTS) -> str:
    return f"(define (problem tiny)\n(:domain alfred)\n(:objects {objects})\n(:init {facts})\n(:goal {goal}))"


def document(goal: str = PLACE, task: str = "put a pen in desk.", **others: Any) -> dict[str, Any]:
    """The room as a generated game file: without domain and grammar."""
    return {"pddl_problem": problem(goal), "solvable": True, "task": task, **others}
