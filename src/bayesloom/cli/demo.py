"""``bayesloom demo``: every step on a small table whose true network is known."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from bayesloom.cli.help import Verb
from bayesloom.printable import one_line

ROWS, SEED = 3000, 1
FILES = ("truth.bif", "loom.csv", "loom.blc", "network.dot", "network.bif")


@click.command("demo", cls=Verb, examples=[("In the folder bayesloom-demo", "bayesloom demo")])
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="bayesloom-demo",
    show_default=True,
    help="Folder for the files; those of an earlier demo in it are replaced.",
)
@click.option(
    "--rows", type=click.IntRange(1), metavar="N", default=ROWS, show_default=True, help="Rows to draw."
)
def command(output: str, rows: int) -> None:
    """Draw a table from a small network of a weaving mill, learn it back, and show every step.

    Each step is shown with the command that does the same. All files stay in the output folder.
    """
    import bayesloom
    from bayesloom.cli.summary import show_cache, show_result, show_table
    from bayesloom.networks.fitted import FittedNetwork
    from bayesloom.networks.formats import write_network

    folder = Path(output)
    if any((folder / name).exists() for name in FILES):
        click.echo(f"{one_line(output)} has the files of an earlier demo, which are replaced.", err=True)
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
    write_network(result.network, folder / "network.dot", constraints=result.constraints)

    _step(
        "4. All of this in one go, with probabilities",
        f"bayesloom learn {output}/loom.csv -o {output}/network.bif",
    )
    result.network.fit(table, method="dirichlet").write(folder / "network.bif")
    click.echo(f"the same network, with the probabilities of {rows:,} rows")

    _step("5. Checked from scratch", f"bayesloom verify {output}/network.bif --data {output}/loom.csv")
    check = bayesloom.verify(result.network, table=table, claimed_score=result.score)
    click.echo("verified" if check.ok else "NOT verified: " + " ".join(check.problems))

    _step("6. Beside the truth", f"bayesloom compare {output}/network.bif {output}/truth.bif")
    click.echo(str(bayesloom.compare(result.network, truth.network)))

    _step("Files", None)
    for file in (folder / name for name in FILES):
        click.echo(f"  {file}  {file.stat().st_size:,} bytes")


def _step(title: str, shown: str | None) -> None:
    click.echo(f"\n{title}" + (f"\n  $ {shown}" if shown else ""))
