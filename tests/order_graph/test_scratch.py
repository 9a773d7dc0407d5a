"""The scratch directory of bfbnb: the same options, and no one else's files."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError, ResourceError
from made.command import exit_code
from made.disk_search import DENSE, LAYERS
from made.lists import tangled_cache


def inside(scratch):
    (own,) = scratch.iterdir()
    return own


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pattern_size": 2}, "was begun with pattern_size 1, this call has pattern_size 2"),
        ({"cluster_rounds": 7}, "was begun with cluster_rounds 0, this call has cluster_rounds 7"),
        ({"dense": None}, "was begun with dense never, this call has dense auto"),
        ({"asked": [("start", "x")]}, "was begun with start none, this call has start x"),
    ],
)
def test_resume_with_other_options_is_refused(cache, unfinished, change, message):
    with pytest.raises(InputError, match=message):
        _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **{**LAYERS, **change})
    answer = _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **LAYERS)  # nothing was lost
    assert answer["score"] == answer["bound"] == _core.subset_dp(cache.core)["score"]


def test_resume_through_search_compares_all_options(cache, tmp_path):
    options = {"scratch": tmp_path, "pattern_size": 1, "cluster_rounds": 0, "start_work": 0, "dense": "never"}
    start = list(cache.names)
    first = bl.search(cache, solver="bfbnb", work_limit=3000, start=start, options=options)
    assert first.status == "stopped"
    for change, more, message in [
        ({"start_work": 5}, {"start": start}, "begun with start_work 0, this call has start_work 5"),
        ({}, {"start": start[::-1]}, r"begun with start \w+, this call has start \w+"),
        ({}, {}, r"begun with start \w+, this call has start none"),
    ]:
        again = {**options, **change, "resume": True}
        with pytest.raises(InputError, match=message):
            bl.search(cache, solver="bfbnb", options=again, **more)
    result = bl.search(cache, solver="bfbnb", options={**options, "resume": True}, start=start)
    assert result.status == "optimal"
    assert result.score == bl.search(cache, solver="dp").score


def test_a_stopped_search_can_simply_be_run_again(cache, unfinished):
    """Without resume it begins anew, in the same place and with other options too."""
    stopped = _core.bfbnb(cache.core, scratch=str(unfinished), work=2000, **{**LAYERS, "cluster_rounds": 3})
    assert stopped["score"] <= stopped["bound"]
    answer = _core.bfbnb(cache.core, scratch=str(unfinished), **DENSE)
    assert answer["score"] == answer["bound"] == _core.subset_dp(cache.core)["score"]
    assert list(unfinished.iterdir()) == []


def test_resume_needs_a_name(cache, tmp_path, monkeypatch, capsys):
    with pytest.raises(InputError, match=r"resume needs the scratch directory"):
        bl.search(cache, solver="bfbnb", options={"resume": True})
    cache.write(tmp_path / "c.blc")
    assert exit_code("search", str(tmp_path / "c.blc"), "--solver", "bfbnb", "--resume") == 1
    assert "--scratch DIR" in capsys.readouterr().err


def files_of(scratch):
    return sorted(path for path in scratch.rglob("*") if path.is_file() and path.name != "lock")


def refused_or_right(cache, scratch):
    """Resume: an error that says why, or the true answer."""
    try:
        answer = _core.bfbnb(cache.core, scratch=str(scratch), resume=True, **LAYERS)
    except (InputError, ResourceError):
        return "refused"
    assert answer["score"] == answer["bound"] == _core.subset_dp(cache.core)["score"]
    return "right"


def test_no_file_of_another_search_is_taken_up(cache, unfinished, tmp_path_factory):
    """The same search of the same cache, begun twice: even then files are not mixed."""
    other = tmp_path_factory.mktemp("other")
    _core.bfbnb(cache.core, scratch=str(other), work=3000, **{**LAYERS, "pattern_size": 2})
    taken = []
    for source in files_of(other):
        if not re.fullmatch(r"layer-\d+|problem-\d+\.done|dense", source.name):
            continue
        target = unfinished / source.relative_to(other)
        kept = target.read_bytes() if target.exists() else None
        shutil.copy(source, target)
        with pytest.raises(InputError, match="is damaged or of another search"):
            _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **LAYERS)
        target.unlink() if kept is None else target.write_bytes(kept)
        taken.append(source.name)
    assert "layer-1" in taken
    assert refused_or_right(cache, unfinished) == "right"


def test_files_in_the_wrong_place_are_not_taken_up(cache, unfinished):
    problem = inside(unfinished) / "problem-0"
    for wrong in ("layer-2", "dense"):
        target = problem / wrong
        kept = target.read_bytes() if target.exists() else None
        shutil.copy(problem / "layer-1", target)
        assert refused_or_right(cache, unfinished) == "refused"
        target.unlink() if kept is None else target.write_bytes(kept)
    shutil.copy(problem / "layer-1", inside(unfinished) / "problem-0.done")
    assert refused_or_right(cache, unfinished) == "refused"


def test_links_are_not_followed(cache, unfinished, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    own = inside(unfinished)
    for name in ("job", "problem-0/layer-1", "problem-0/layer-1-0", "lock", "problem-0"):
        target, real = own / name, elsewhere / "real"
        target.rename(real)
        target.symlink_to(real)
        before = files_of(elsewhere)
        with pytest.raises(InputError, match="is a link, of another kind or of another user"):
            _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **LAYERS)
        assert files_of(elsewhere) == before
        target.unlink()
        real.rename(target)
    moved = elsewhere / "moved"
    own.rename(moved)
    own.symlink_to(moved)
    for resume in (False, True):
        with pytest.raises(InputError, match="is a link, of another kind or of another user"):
            _core.bfbnb(cache.core, scratch=str(unfinished), resume=resume, **LAYERS)
    assert (moved / "job").exists()
    own.unlink()
    moved.rename(own)
    assert refused_or_right(cache, unfinished) == "right"


def test_links_planted_for_writing_are_replaced(cache, unfinished, tmp_path_factory):
    precious = tmp_path_factory.mktemp("elsewhere") / "precious"
    precious.write_text("precious")
    problem = inside(unfinished) / "problem-0"
    last = max(int(path.name.split("-")[1]) for path in problem.glob("layer-*"))
    for name in (f"layer-{last + 1}.new", f"layer-{last + 1}-0", "run-0"):
        (problem / name).unlink(missing_ok=True)
        (problem / name).symlink_to(precious)
    assert refused_or_right(cache, unfinished) == "right"
    assert precious.read_text() == "precious"


def test_a_directory_that_others_can_write_is_not_used(cache, unfinished):
    inside(unfinished).chmod(0o777)
    with pytest.raises(InputError, match="or of another user"):
        _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **LAYERS)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_directory_or_file_of_another_user_is_not_used(cache, unfinished):
    for path in (
        inside(unfinished),
        inside(unfinished) / "job",
        inside(unfinished) / "problem-0" / "layer-1",
    ):
        os.chown(path, 12345, -1)
        with pytest.raises(InputError, match="or of another user"):
            _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **LAYERS)
        os.chown(path, 0, -1)
    assert refused_or_right(cache, unfinished) == "right"


def test_every_damaged_byte_is_refused_or_does_not_matter(cache, unfinished):
    rng = random.Random(0)
    outcomes = {"refused": 0, "right": 0}
    for path in files_of(unfinished):
        good = path.read_bytes()
        for _ in range(3):
            bad = bytearray(good)
            if bad:
                bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            path.write_bytes(bad[: rng.choice([len(bad), len(bad) // 2])])
            if path.read_bytes() == good:
                continue
            before = {other: other.read_bytes() for other in files_of(unfinished)}
            outcome = refused_or_right(cache, unfinished)
            outcomes[outcome] += 1
            if outcome == "right":  # it ended and removed its files: put them back
                for other, content in before.items():
                    other.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                    other.write_bytes(content)
            path.write_bytes(good)
    assert outcomes["refused"] > 3


def test_dense_pieces_are_checked_before_the_answer_is_read_off(tmp_path):
    """Damage after all pieces are done: what is read off last is compared with its checksum too."""
    cache = tangled_cache(random.Random(6), 17)
    wanted = _core.subset_dp(cache.core)["score"]
    work, seen = 20_000, 0
    while True:
        answer = _core.bfbnb(cache.core, scratch=str(tmp_path), resume=True, work=work, **DENSE)
        if answer["score"] == answer["bound"]:
            break
        work = int(work * 1.3)
        pieces = sorted(tmp_path.rglob("piece-*[0-9]"))
        if not pieces:
            continue
        piece = pieces[-1]
        good = piece.read_bytes()
        piece.write_bytes(bytes(len(good)))
        found = None
        with contextlib.suppress(InputError):
            found = _core.bfbnb(cache.core, scratch=str(tmp_path), resume=True, work=work, **DENSE)
        if found is None:
            seen += 1
        else:
            assert found["score"] <= wanted <= found["bound"]
        if piece.exists():
            piece.write_bytes(good)
        if not any(tmp_path.iterdir()):
            break
    assert seen > 0
