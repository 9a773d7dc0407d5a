"""Check a result of `learn` or `search`: numbers, words, edges, and its statements about table and cache."""

from __future__ import annotations

import os
from typing import Any

from bayesloom.json_input import described
from bayesloom.verification.absence import allowed_marks, column_problems
from bayesloom.verification.certificate import certificate_of
from bayesloom.verification.checks import EXACT, UNIT, in_units
from bayesloom.verification.every_network import Allowed
from bayesloom.verification.labels import compelled_edges
from bayesloom.verification.network import family_scores, rows_of, structure_problems, targets_of
from bayesloom.verification.optimality import optimality
from bayesloom.verification.subject import Subject, in_words

__all__ = ["verify_result"]

# What a result says of the bound over all networks: all of it, or nothing in older files.
OF_ALL_NETWORKS = {"bound_all_networks", "fixed_bound_all_networks", "gap_all_networks", "unscored_gains"}


def verify_result(
    subject: Subject, *, exhaustive: bool, certificate: str | os.PathLike[str] | None = None
) -> float | None:
    """Check all beyond network, score and constraints.

    Return the best score if all networks were looked at.
    """
    return _Result(subject).check(exhaustive=exhaustive, certificate=certificate)


class _Result:
    """The checks of a result of `learn` or `search`."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.run = subject.run
        self.checks = subject.checks

    def check(self, *, exhaustive: bool, certificate: str | os.PathLike[str] | None) -> float | None:
        """Check everything beyond network, score and constraints; return the best score if looked for."""
        self.local_scores()
        self.score_and_bound()
        self.claims()
        self.edges()
        self.from_cache()
        if self.subject.learned:
            self.table()
            self.sweep()
            self.em()
        self.remarks()
        proved = certificate is not None and certificate_of(self.subject, certificate) is not None
        looked = optimality(self.subject, self.run["bound"], "bound", exhaustive=exhaustive, proved=proved)
        return None if looked is None else looked.best * UNIT

    # Numbers

    def local_scores(self) -> None:
        """Check every local score: against the cache exactly, against the table within rounding."""
        given, subject = self.run["local_scores"], self.subject
        if set(given) != set(subject.names):
            odd = min(set(given) ^ set(subject.names))
            self.checks.wrong("local_scores", f"local scores and variables differ: {odd!r} is in one only.")
            return
        problems = []
        for name in subject.names:
            value, units = given[name], subject.units.get(name)
            if not in_units(value):
                problems.append(f"the local score {value!r} of {name!r} is not a multiple of 2^-30.")
            elif units is not None and abs(value - units * UNIT) > (subject.tolerance or 0.0):
                problems.append(f"the local score of {name!r} is {value!r}, the cache has {units * UNIT!r}.")
            elif name in subject.exact and not subject.near_table(value, subject.exact[name]):
                problems.append(
                    f"the local score of {name!r} is {value!r}, the table gives {subject.exact[name]!r}."
                )
        self.checks.all_of("local_scores", problems, self._recomputed_from())

    def _recomputed_from(self) -> str:
        near = f"from the table, within {self.subject.rounding:.1g} nats each"
        if self.subject.exact and self.subject.units:
            return f"recomputed {near}, and exactly those of the cache"
        return f"recomputed {near}" if self.subject.exact else "exactly those of the score cache"

    def score_and_bound(self) -> None:
        """Check score, bound and gap, also as whole numbers."""
        run = self.run
        score, bound = run["score"], run["bound"]
        problems = self.subject.score_problem("score", score)
        parts = list(run["local_scores"].values())
        rounding = sum(abs(value) for value in parts if abs(value) >= EXACT) * 2.0**-52
        if abs(sum(round(value / UNIT) for value in parts) - run["fixed_score"]) > rounding / UNIT:
            problems.append(f"fixed_score is {run['fixed_score']}, but local scores have another sum.")
        if score != run["fixed_score"] * UNIT:
            problems.append(f"score is {score!r}, but fixed_score says {run['fixed_score'] * UNIT!r}.")
        self.checks.all_of("score", problems, f"{score!r}, the sum of the local scores")
        problems = []
        if run["fixed_bound"] < run["fixed_score"]:
            problems.append(f"the bound {bound!r} is below the score {score!r}.")
        if bound != run["fixed_bound"] * UNIT:
            problems.append(f"bound is {bound!r}, but fixed_bound says {run['fixed_bound'] * UNIT!r}.")
        self.checks.all_of("bound", problems, f"{bound!r}, not below the score")
        self.checks.same(
            "gap", run["gap"], max(0.0, bound - score), "bound and score leave", "bound less score"
        )
        if OF_ALL_NETWORKS & set(run):  # older files have none
            self.all_networks()

    def all_networks(self) -> None:
        """Check the bound over all networks beside the other one, and what is left for each variable."""
        run, given = self.run, self.run.get("bound_all_networks")
        whole, gap = run.get("fixed_bound_all_networks"), run.get("gap_all_networks")
        problems = [f"{key} is missing." for key in sorted(OF_ALL_NETWORKS - set(run))]
        if given is None and whole is None and gap is None:
            if run["complete"]:
                problems.append("there is no bound over all networks, but all that can matter was scored.")
        elif given is None or whole is None or gap is None:
            problems.append("the bound over all networks, its gap and its whole number go together.")
        else:
            if given != whole * UNIT:
                problems.append(
                    f"bound_all_networks is {given!r}, but its whole number says {whole * UNIT!r}."
                )
            if gap != max(0.0, given - run["score"]):
                problems.append(
                    f"gap_all_networks is {gap!r}, but bound and score leave {given - run['score']!r}."
                )
            if whole < run["fixed_bound"]:
                problems.append("the bound over all networks is below that over the sets scored.")
            if run["complete"] and whole != run["fixed_bound"]:
                problems.append("all that can matter was scored, so both bounds are one.")
        gains = run.get("unscored_gains") or {}
        if gains and (set(gains) != set(self.subject.names) or run["complete"] or given is None):
            problems.append("unscored_gains are of all variables, where not all was scored.")
        if given is not None and not run["complete"] and not gains:
            problems.append("what is left for each variable (unscored_gains) is missing; not all was scored.")
        words = "not known" if given is None else f"{given!r}, not below the bound over the sets scored"
        self.checks.all_of("bound_all_networks", problems, words)
        if gains:
            self.checks.skip("unscored_gains", "bounds of the scoring, which left no proof")

    # Words

    def claims(self) -> None:
        """Check status, proof and claim: all of them follow from bound, completeness and constraints."""
        run, checks = self.run, self.checks
        reached = run["fixed_score"] == run["fixed_bound"] and run["score"] == run["bound"]
        everything = run["complete"] or run.get("fixed_bound_all_networks") == run["fixed_score"]
        proof = ("all networks" if everything else "sets scored") if reached else None
        optimal = proof == "all networks" if self.subject.learned else proof is not None
        why = "bound, score and complete say"
        checks.same("proof", run["proof"], proof, why, "as bound, score and complete say")
        status = "optimal" if optimal else "stopped"
        checks.same("status", run["status"], status, why, "as the proof says")
        claim = self._claim(proof, status)
        if run["claim"] == claim.replace("at most 1 parent each", "at most 1 parents each"):
            claim = run["claim"]  # as older files word it
        checks.same("claim", run["claim"], claim, "the fields say", "as the fields say")

    def _claim(self, proof: str | None, status: str) -> str:
        run = self.run
        limit, beyond = run["max_parents"], run.get("gap_all_networks")
        among = "" if limit is None else f" with at most {limit} parent{'' if limit == 1 else 's'} each"
        held = in_words(run["constraints"])
        among += f" that keeps {held}" if held else ""
        if proof == "all networks":
            return f"optimal: no network{among} scores higher"
        if proof == "sets scored":
            begin = "optimal" if status == "optimal" else "no network scores higher"
            under = f" under {held}" if held else ""
            out = f"{begin} over the candidates scored{under}; other parent sets were not all ruled out"
            if beyond is not None:
                out += f", and with them a network could score {beyond:.4g} more at most"
            return out
        gap = format(max(0.0, run["bound"] - run["score"]), ".4g")
        kept = f" that keeps {held}" if held else ""
        over = f"any network{among}" if run["complete"] else f"any network over the candidates scored{kept}"
        out = f"within {gap} of the best score of {over}"
        if not run["complete"] and beyond is not None:
            limits = "" if limit is None else f" with at most {limit} parent{'' if limit == 1 else 's'} each"
            out += f", and within {beyond:.4g} of that of any network{limits}"
        return out

    # Edges

    def edges(self) -> None:
        """Check that edges are those of the network, their strengths, and whether they are compelled."""
        edges, subject = self.run["edges"], self.subject
        if not subject.learned:
            problem = "a search knows no table, so it cannot know strengths of edges."
            self.checks.all_of("edges", [problem] if edges else [], "none are listed, as after any search")
            return
        listed = [(edge["from"], edge["to"]) for edge in edges]
        own = [(a, b) for b, given in subject.parents.items() for a in given]
        if sorted(listed) != sorted(own):
            self.checks.wrong("edges", "the edges listed are not those of the network.")
            return
        ranked = sorted(edges, key=lambda edge: (-edge["strength"], edge["from"], edge["to"]))
        problem = "the edges are not listed from the strongest to the weakest."
        self.checks.all_of("edges", [problem] if edges != ranked else [], "those of the network")
        self._strengths()
        self._absence()
        self._labels()

    def _strengths(self) -> None:
        subject, edges = self.subject, self.run["edges"]
        if subject.table is None:
            self.checks.skip("strengths", "they are of the table, which was not given")
            return
        without = [(e["to"], [p for p in subject.parents[e["to"]] if p != e["from"]]) for e in edges]
        values = family_scores(subject.table, without, subject.score, subject.options) if without else []
        problems = []
        for edge, value in zip(edges, values, strict=True):
            expected = subject.exact[edge["to"]] - value
            if not subject.near_table(edge["strength"], expected, 2):
                problems.append(
                    f"the strength of {edge['from']!r} -> {edge['to']!r} is {edge['strength']!r}, "
                    f"the table gives {expected!r}."
                )
        self.checks.all_of("strengths", problems, "recomputed from the table")

    def _absence(self) -> None:
        """Check which edges are said to rest on values missing together."""
        table, edges = self.subject.table, self.run["edges"]
        if table is None or getattr(table, "states", None) is None:
            self.checks.skip("rests_on_missing", "it is of the table, which was not given")
            return
        problems = []
        for edge in edges:
            a, b = edge["from"], edge["to"]
            for rests in sorted({edge["rests_on_missing"]} - allowed_marks(table, a, b)):
                said = "is said to rest" if rests else "is not said to rest"
                what = f"the edge {a!r} -> {b!r} {said} on values missing together"
                problems.append(f"{what}; the table says otherwise.")
        self.checks.all_of("rests_on_missing", problems, "found again in the table")

    def _labels(self) -> None:
        subject = self.subject
        targets = self.run.get("interventions") or ()
        alone = compelled_edges(subject.parents, interventions=targets)
        found = compelled_edges(subject.parents, subject.rules, interventions=targets)
        problems: list[str] = []
        too_many = left_open = 0
        # Only orders and limits of single variables take a search, which may end without an answer.
        searched = bool(subject.rules.before or subject.rules.max_parents)
        for edge in self.run["edges"]:
            pair = edge["from"], edge["to"]
            fixed = found[pair]
            if fixed is None:
                too_many += 1
                continue
            if searched and edge["compelled"] is None and edge["direction"] == "undecided":
                left_open += 1
                continue
            label = ("compelled" if alone[pair] else "constrained") if fixed else "reversible"
            if edge["compelled"] != fixed or edge["direction"] != label:
                shown_as = f"compelled {described(edge['compelled'])}, direction {edge['direction']!r}"
                problems.append(f"the edge {pair[0]!r} -> {pair[1]!r} is {label}, not {shown_as}.")
        self.checks.all_of("compelled", problems, "derived again by rules of orientation")
        if too_many:
            self.checks.skip("compelled", f"{too_many} edges: too many networks to look at")
        if left_open:
            why = "they can be decided here; that a search ended before is the word of learn"
            self.checks.skip("compelled", f"{left_open} edges are called undecided: {why}")

    # Cache and table

    def from_cache(self) -> None:
        """Check what describes the score cache, if it is there."""
        run, cache, checks = self.run, self.subject.cache, self.checks
        if cache is None or self.subject.learned:
            why = "learn keeps no score cache" if self.subject.learned else "the score cache was not given"
            for key in ("complete", "candidates", "method"):
                checks.skip(key, why)
            return
        complete = cache.complete and not self.subject.newly_required
        checks.same("complete", run["complete"], complete, "the score cache is", "as the score cache says")
        allowed = Allowed(self.subject.rules)
        count = cache.candidate_count
        if self.subject.rules:
            count = sum(
                allowed.family(name, parents) for name in cache.names for _, parents in cache.candidates(name)
            )
        checks.same(
            "candidates", run["candidates"], count, "the score cache has", "counted in the score cache"
        )
        method = str(cache.info.get("method", ""))
        checks.same("method", run["method"], method, "the score cache says", "as the score cache says")

    def table(self) -> None:
        """Check what is said about the table: size, states and cut points."""
        about, table = self.run["table"], self.subject.table
        if table is None:
            self.checks.skip("table", "it was not given")
            return
        import numpy as np

        rows = np.column_stack([np.asarray(column) for column in table.codes])
        if rows.dtype.kind == "f":
            rows[np.isnan(rows)] = np.inf  # missing values are equal; all others are finite
        expected: dict[str, Any] = {
            "variables": len(table.names),
            "rows": rows_of(table),
            "unique_rows": _unique(rows, targets_of(table)),
        }
        states = getattr(table, "states", None)
        cuts = getattr(table, "cut_points", None)
        if states is not None:
            expected["states"] = {n: list(s) for n, s in zip(table.names, states, strict=True)}
            if "counts" in about:  # older files have none
                weights = getattr(table, "weights", None)
                often = (
                    np.ones(len(rows), dtype=np.int64) if weights is None else np.asarray(weights, np.int64)
                )
                expected["counts"] = {
                    n: [int(often[rows[:, i] == k].sum()) for k in range(len(states[i]))]
                    for i, n in enumerate(table.names)
                }
        if cuts is not None:
            expected["cut_points"] = {name: list(map(float, given)) for name, given in cuts.items()}
        problems = [
            f"{key} of the table is {described(about[key])}, the table given has {described(value)}."
            for key, value in expected.items()
            if about[key] != value
        ]
        problems += column_problems(about, table)
        hint = " Was it read with the same options?"
        self.checks.all_of("table", [p + hint for p in problems], ", ".join(expected))
        for key in ("source", "notes"):
            self.checks.skip(f"table.{key}", "words for people")
        self.checks.skip("words of table.columns", "what the source held, and why it was read so")

    def sweep(self) -> None:
        """Check the rows of --ess-sweep."""
        rows, subject = self.run.get("ess_sweep"), self.subject
        if rows is None:
            return
        problems = []
        for row in rows:
            where = f"ess_sweep, ess {row['ess']!r}"
            wrong = structure_problems(subject.names, row["parents"])
            if not wrong:
                wrong = subject.broken_rules(row["parents"]) + subject.beyond_limit(row["parents"])
            if row["ess"] <= 0:
                wrong.append("the size must be above 0.")
            problems += [f"{where}: {problem}" for problem in wrong]
            if row["edges"] != sum(map(len, row["parents"].values())):
                problems.append(f"{where}: the number of edges is not that of the network.")
            if not wrong and subject.table is not None:
                families = list(row["parents"].items())
                total = sum(family_scores(subject.table, families, "bdeu", {"ess": row["ess"]}))
                if not subject.near_table(row["score"], total, len(families)):
                    problems.append(f"{where}: score is {row['score']!r}, the table gives {total!r}.")
        if len({row["ess"] for row in rows}) < len(rows):
            problems.append("ess_sweep: a size is listed twice.")
        chosen = [row for row in rows if row["chosen"]]
        best = max(rows, key=lambda row: row["score"], default=None)
        if len(chosen) != 1 or best is None or chosen[0]["score"] != best["score"]:
            problems.append("ess_sweep: chosen is not the one row of the best score.")
        elif (
            chosen[0]["score"] != self.run["score"]
            or chosen[0]["gap"] != self.run["gap"]
            or chosen[0]["parents"] != self.run["parents"]
            or {"ess": chosen[0]["ess"]} != self.run["score_options"]
        ):
            problems.append("ess_sweep: the chosen row is not that of the result.")
        self.checks.all_of("ess_sweep", problems, "networks and scores of all rows")
        self.checks.skip("other rows of ess_sweep", "which sizes were asked for, and their gaps")

    def em(self) -> None:
        """Check what is said of the turns of structural EM, as far as the table filled in tells."""
        said, table = self.run.get("em"), self.subject.table
        if said is None:
            return
        scores, observed, units, score = said["scores"], said["observed"], said["units"], self.run["score"]
        problems = []
        if not scores or abs(scores[-1] * units - score) > 1e-9 * max(1.0, abs(score)):
            problems.append("em: the score of the last turn is not that of the result.")
        if (units > 1) != (said["form"] == "soft" and bool(observed)) or units < 1:
            problems.append(f"em: the {said['form']} form does not count a row as {units}.")
        if observed and len(observed) != len(scores):
            problems.append("em: observed has not a number for each turn.")
        rising = scores if said["form"] == "hard" else observed
        if rising != sorted(rising):
            problems.append("em: a turn lowers what no turn may lower.")
        if table is not None and units > 0 and rows_of(table) % units:
            problems.append(f"em: the table does not count each row as {units}.")
        self.checks.all_of("em", problems, "its last turn is this result")
        self.checks.skip("turns of em", "the table before it was filled in is not here")

    def remarks(self) -> None:
        """Check what can be of remarks about chance."""
        run, names = self.run, self.subject.names
        if (chance := run.get("chance")) is not None:
            pairs = len(names) * (len(names) - 1) // 2
            self.checks.same(
                "pairs in chance", chance["pairs"], pairs, "so many variables have", f"{pairs:,} of variables"
            )
        if (null := run.get("null")) is not None:
            required = set(self.subject.rules.required)
            own = sum((a, b) not in required for b, up in self.subject.parents.items() for a in up)
            fits = null["of"] == own and null["stronger"] <= own
            problem = (
                f"null is about {null['of']} edges of the network, but it has {own} that are not required."
            )
            self.checks.all_of("edges in null", [] if fits else [problem])


def _unique(rows: Any, targets: list[set[str]] | None) -> int:
    """Return how many rows differ, in their values or in what was set."""
    import numpy as np

    if targets is not None:
        place: dict[frozenset[str], int] = {}
        number = [place.setdefault(frozenset(one), len(place)) for one in targets]
        rows = np.column_stack([rows, np.array(number)])
    return len(np.unique(rows, axis=0))
