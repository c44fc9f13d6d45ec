"""The words of ALFWorld's rooms: kinds of furniture and of objects, and what each affords.

For perception (which words are furniture) and for the generator (what a new room may hold). A planner
must not read the affordances here: what can be heated, or fits where, is for the rules to learn.
"""

from __future__ import annotations

from collections.abc import Mapping

RECEPTACLE_TYPES: tuple[str, ...] = tuple(
    "ArmChair BathtubBasin Bed Cabinet Cart CoffeeMachine CoffeeTable CounterTop Desk DiningTable Drawer "
    "Dresser Fridge GarbageCan HandTowelHolder LaundryHamper Microwave Ottoman Safe Shelf SideTable "
    "SinkBasin Sofa StoveBurner Toaster Toilet ToiletPaperHanger TowelHolder TVStand".split()
)

RECEPTACLES: frozenset[str] = frozenset(kind.lower() for kind in RECEPTACLE_TYPES)
"""The lower-case furniture words that names like ``drawer 2`` begin with."""

OPENABLE: Mapping[str, float] = {
    "Fridge": 1.0,
    "Microwave": 1.0,
    "Safe": 0.87,
    "Drawer": 0.84,
    "Cabinet": 0.82,
}
"""What has a door, and how often one of them is flagged so: the others read "On the drawer 2, ..."."""

_FOOD = "Apple Bread Egg Lettuce Potato Tomato "
_CUTLERY = "ButterKnife Fork Knife Spatula Spoon "
_DISHES = "Bowl Cup Mug Plate "
_COOKWARE = "Kettle Pan Pot "
_SHAKERS = "PepperShaker SaltShaker "
_BOTTLES = "Glassbottle WineBottle "
_POCKET = "CellPhone CreditCard KeyChain "
_STATIONERY = "Book CD Pen Pencil "
_DECORATION = "Candle Statue Vase "
_WASHING = "Cloth DishSponge SoapBar "
_SOAPS = "SoapBottle SprayBottle "
_PAPER = "TissueBox ToiletPaper "
_SPORT = "BaseballBat BasketBall TennisRacket "
_TOWELS = "HandTowel Towel "
_FLOOR = "Boots Footstool Plunger ScrubBrush TeddyBear PaperTowelRoll "
_OTHER = "AlarmClock Box Ladle Laptop Newspaper Pillow RemoteControl Watch WateringCan "

OBJECT_TYPES: tuple[str, ...] = tuple(
    sorted(
        (
            _FOOD + _CUTLERY + _DISHES + _COOKWARE + _SHAKERS + _BOTTLES + _POCKET + _STATIONERY + _DECORATION
            + _WASHING + _SOAPS + _PAPER + _SPORT + _TOWELS + _FLOOR + _OTHER
        ).split()
    )
)  # fmt: skip
"""Everything that can be picked up."""

LAMPS: tuple[str, ...] = ("DeskLamp", "FloorLamp")
FIXTURES: tuple[str, ...] = tuple(
    "Bathtub Blinds Chair Curtains HousePlant LaundryHamperLid LightSwitch Mirror Painting Poster ShowerDoor "
    "ShowerGlass Sink StoveKnob Television Window".split()
)
"""Objects that stay where they are; some are listed on the furniture under them."""

TOGGLEABLE: frozenset[str] = frozenset(LAMPS)
HEATABLE: frozenset[str] = frozenset("Apple Bread Cup Egg Mug Plate Potato Tomato".split())
COOLABLE: frozenset[str] = HEATABLE | frozenset("Bowl Lettuce Pan Pot WineBottle".split())
CLEANABLE: frozenset[str] = frozenset(
    (_CUTLERY + _DISHES + _COOKWARE + _WASHING + "Apple Egg Ladle Lettuce Potato Tomato").split()
)
SLICEABLE: frozenset[str] = frozenset(_FOOD.split())
RECEPTACLE_OBJECTS: frozenset[str] = frozenset("Bowl Box Cup Mug Pan Plate Pot".split())

_SEATS = _POCKET + "Book Box Laptop Newspaper Pillow RemoteControl "
_ON_DESKS = _POCKET + _STATIONERY + "AlarmClock Bowl Laptop Mug RemoteControl Statue TissueBox Vase "
_ON_TABLES = (
    _FOOD + _CUTLERY + _DISHES + _COOKWARE + _SHAKERS + _SOAPS + _ON_DESKS
    + _SPORT + "Box Candle Cloth DishSponge Newspaper Watch WateringCan WineBottle "
)  # fmt: skip

_FITS = {
    "ArmChair": _SEATS + "Cloth",
    "BathtubBasin": _WASHING + "HandTowel",
    "Bed": _SPORT + "Book CellPhone Laptop Pillow",
    "Cabinet": _DISHES + _COOKWARE + _SHAKERS + _BOTTLES + _WASHING + _SOAPS + _PAPER
    + "Book Box Candle CD HandTowel Ladle Newspaper Plunger Vase WateringCan",
    "Cart": _WASHING + _SOAPS + _PAPER + "Candle HandTowel Plunger",
    "CoffeeMachine": "Mug",
    "CoffeeTable": _POCKET + _DECORATION
    + "Book Bowl Box Laptop Newspaper Pen Pencil Plate RemoteControl TissueBox Watch WateringCan",
    "CounterTop": _FOOD + _CUTLERY + _DISHES + _COOKWARE + _SHAKERS + _BOTTLES + _WASHING + _SOAPS + _PAPER
    + _ON_DESKS + "Candle HandTowel Ladle",
    "Desk": _ON_DESKS + "BasketBall Box Cloth TennisRacket Watch WateringCan",
    "DiningTable": _ON_TABLES + "Glassbottle Ladle",
    "Drawer": _CUTLERY + _SHAKERS + _POCKET + _STATIONERY + _WASHING + _SOAPS + _PAPER
    + "Candle HandTowel Ladle Newspaper RemoteControl Watch WateringCan",
    "Dresser": _ON_DESKS
    + "BasketBall Box Candle Cloth Newspaper Plate SprayBottle TennisRacket ToiletPaper Watch WateringCan",
    "Fridge": _FOOD + _DISHES + _BOTTLES + "Pan Pot",
    "GarbageCan": _FOOD + _WASHING + _SOAPS + _PAPER + "CD HandTowel Newspaper Pen Pencil WineBottle",
    "HandTowelHolder": "HandTowel",
    "LaundryHamper": "Cloth",
    "Microwave": _DISHES + "Apple Bread Egg Glassbottle Potato Tomato",
    "Ottoman": _SEATS,
    "Safe": _POCKET + "CD Statue Vase",
    "Shelf": _DISHES + _SHAKERS + _BOTTLES + _POCKET + _STATIONERY + _DECORATION + _WASHING + _SOAPS + _PAPER
    + "AlarmClock Box HandTowel Kettle Newspaper Pot RemoteControl Watch WateringCan",
    "SideTable": _ON_TABLES + "HandTowel SoapBar ToiletPaper",
    "SinkBasin": _CUTLERY + _DISHES + _COOKWARE + _WASHING
    + "Apple Egg Glassbottle HandTowel Ladle Lettuce Potato Tomato",
    "Sofa": _SEATS,
    "StoveBurner": _COOKWARE,
    "Toaster": "",
    "Toilet": _WASHING + _SOAPS + _PAPER + "Candle HandTowel",
    "ToiletPaperHanger": "ToiletPaper",
    "TowelHolder": "Towel",
    "TVStand": "TissueBox",
}  # fmt: skip

FITS: Mapping[str, frozenset[str]] = {kind: frozenset(words.split()) for kind, words in _FITS.items()}
"""Receptacle type -> the object types that can be put there."""
