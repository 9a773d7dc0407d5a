"""``bayesloom demo``: every step on a small table whose true network is known."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from bayesloom.cli.help import Verb

ROWS, SEED = 3000, 1


@click.command("demo", cls=Verb, examples=[("In the folder bayesloom-demo", "bayesloom demo")])
@click.option(
    "--output", metavar="DIR", default="bayesloom-demo", show_default=True, help="Folder for the files."
)
@click.option(
    "--rows", type=click.IntRange(1), metavar="N", default=ROWS, show_default=True, help="Rows to draw."
)
def command(output: str, rows: int) -> None:
    """Draw a table from a small network of a weaving mill, learn it back, and show every step.

    All files stay in the output folder, with the commands that make them.
    """
    import bayesloom
    from bayesloom.cli.summary import show_cache, show_result, show_table
    from bayesloom.networks.fitted import FittedNetwork

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    with resources.as_file(resources.files("bayesloom") / "demo" / "loom.bif") as path:
        truth = bayesloom.read_network(path)
    assert isinstance(truth, FittedNetwork)
    truth.write(folder / "truth.bif")

    _step("1. The table", f"bayesloom sample {output}/truth.bif -n {rows} --seed {SEED} -o {output}/loom.csv")
    truth.sample(rows, seed=SEED).write(folder / "loom.csv")
    table = bayesloom.read_table(folder / "loom.csv")
    show_table(table)

    _step("2. Its score cache", f"bayesloom score {output}/loom.csv -o {output}/loom.blc")
    cache = bayesloom.score(table)
    cache.write(folder / "loom.blc")
    show_cache(cache)

    _step("3. The best network", f"bayesloom search {output}/loom.blc -o {output}/network.dot")
    result = bayesloom.search(cache)
    show_result(result)
    fitted = result.network.fit(table, method="dirichlet")
    fitted.write(folder / "network.bif")
    result.network.write(folder / "network.dot")

    _step("4. Checked from scratch", f"bayesloom verify {output}/network.bif --data {output}/loom.csv")
    check = bayesloom.verify(result.network, table=table, claimed_score=result.score)
    click.echo("verified" if check.ok else "NOT verified: " + " ".join(check.problems))

    _step("5. Beside the truth", f"bayesloom compare {output}/network.bif {output}/truth.bif")
    click.echo(str(bayesloom.compare(result.network, truth.network)))

    _step("Files", None)
    for file in sorted(folder.iterdir()):
        click.echo(f"  {file}  {file.stat().st_size:,} bytes")


def _step(title: str, shown: str | None) -> None:
    click.echo(f"\n{title}" + (f"\n  $ {shown}" if shown else ""))
