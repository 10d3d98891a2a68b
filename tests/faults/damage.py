"""Damage to the files of a run, as disks, people and programs do it; each attack takes a generator."""

import os
import shutil

import numpy as np

LOGS = ("progress.csv", "evaluations.csv", "timings.csv")


def flip(path, rng):
    """One bit."""
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= 1 << rng.integers(8)
    path.write_bytes(content)


def zero(path, rng):
    """A page that never reached the disk."""
    content = bytearray(path.read_bytes())
    start = int(rng.integers(len(content)))
    end = min(len(content), start + 4096)
    content[start:end] = bytes(end - start)
    path.write_bytes(content)


def cut(path, rng):
    """The end."""
    os.truncate(path, int(rng.integers(path.stat().st_size)))


def remove(path, rng):
    """All of it."""
    path.unlink()


def exchange(path, rng):
    """Another file of the same size in its place, as of another run."""
    path.write_bytes(rng.bytes(path.stat().st_size))


WAYS = {way.__name__: way for way in (flip, zero, cut, remove, exchange)}


def newest(run):
    """The folder of the newest checkpoint."""
    return max((p for p in (run / "checkpoint").iterdir() if p.name.isdecimal()), key=lambda p: int(p.name))


def replay_file(run, rng):
    """Any file of the replay that is not empty."""
    return rng.choice(sorted(p for p in (run / "replay").iterdir() if p.stat().st_size))


def state(run, rng):
    return newest(run) / "state.safetensors"


def manifest(run, rng):
    return newest(run) / "manifest.json"


def log(run, rng):
    return rng.choice([run / name for name in LOGS if (run / name).exists() and (run / name).stat().st_size])


TARGETS = {target.__name__: target for target in (state, manifest, replay_file, log)}


def everything(run, rng):
    """Both checkpoints at once: nothing is left to go on from."""
    for folder in (run / "checkpoint").iterdir():
        flip(folder / "state.safetensors", rng)


def rename(run, rng):
    """A checkpoint under another number."""
    newest(run).rename(run / "checkpoint" / "9999")


def clutter(run, rng):
    """Files of other programs, odd names, and what interrupted writes leave; none of it does harm."""
    for folder in (run / "checkpoint", newest(run)):
        (folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    shutil.copytree(newest(run), run / "checkpoint" / ".writing", dirs_exist_ok=True)
    for name in ("\N{SUPERSCRIPT TWO}", "007", "notes", "-5", "99999999999999999999999"):
        (run / "checkpoint" / name).mkdir(exist_ok=True)
    (run / "agent" / f".agent.json.{'0' * 16}.writing").write_text('{"form')


def attack(run, seed):
    """One attack, drawn from all; its name."""
    rng = np.random.default_rng(seed)
    way, target = rng.choice(list(WAYS)), rng.choice(list(TARGETS))
    path = TARGETS[target](run, rng)
    WAYS[way](path, rng)
    return f"{way} {path.relative_to(run)}"
