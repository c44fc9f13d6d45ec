"""How a new ALFWorld game comes to be: a room, its objects, a task, a walkthrough, and the PDDL text."""
