"""``worldmodel rules``: look at rules, and have them checked. One module a command, and one line here."""

from __future__ import annotations

import typer

from worldmodel.cli.rulebook import check, diff, draw, explain, pddl, propose, show

app = typer.Typer(help="Look at rules, and have them checked.", no_args_is_help=True)
app.command("show", epilog=show.EPILOG)(show.show_rules)
app.command("check", epilog=check.EPILOG)(check.check)
app.command("diff", epilog=diff.EPILOG)(diff.diff)
app.command("explain", epilog=explain.EPILOG)(explain.explain)
app.command("propose", epilog=propose.EPILOG)(propose.propose)
app.command("export", epilog=pddl.EXPORT_EPILOG)(pddl.export)
app.command("import", epilog=pddl.IMPORT_EPILOG)(pddl.import_)
app.command("draw", epilog=draw.EPILOG)(draw.draw)
