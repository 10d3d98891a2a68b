"""Files that a stranger could have written: agents and runs with one file changed, in ways that are meant to hurt.

`agents` and `runs` copy a good folder, spoil one file of the copy for each seed, and tell what they did; `read_agent`
and `read_run` are all that the package does with such a folder before an environment is made. What must come out of
them is an answer or a `PacerError`, soon and in little memory. `python -m tests.faults.hostile` does so in a process
of its own, which a file may crash or hang.
"""

import json
import os
import resource
import shutil
import signal
import struct
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

import pacer
from pacer.errors import PacerError
from pacer.runs.checkpoints import find
from pacer.runs.reader import Run

SECONDS = 5  # of work that no file may make
LONGEST = 60  # seconds after which nobody waits any more, and the process is ended
CRASHED, SLOW, ODD = "CRASHED", f"TOOK OVER {SECONDS} s", "UNEXPECTED EXCEPTION"  # outcomes that must not be

NUMBERS = [0, -1, 1, 2, 7, 63, 64, 65, 1_000, 65_536, 65_537, 10**6, 10**9, 2**31, 2**63, 2**64, 10**30, -(10**18)]
NUMBERS += [0.5, -0.0, 1e-300, 1e30, 1e300, 1e999, float("nan"), float("inf"), 2.0**53]
STRINGS = ["", "\x1b[2J\x1b]0;owned\x07", "\u202e", "\ud800", "../../x", "/etc/passwd", "os.system", "A" * 10_000]
STRINGS += ["__class__", "{0.__class__}", "%s%n", "Quantile", "Flow", "Recipe", "Combination", "\n\n", "²"]
OTHERS = [None, True, False, [], {}, [[]], [0] * 70, {"piece": "Recipe"}, {"piece": None}, {"a": {"b": {}}}]
TYPES = ["F4", "F8_E4M3", "F8_E5M2", "F8_E8M0", "BF16", "C64", "I8", "U8", "F16", "F64", "BOOL", "X", "", None, 3]


def agents(good, folder, seeds):
    """Spoilt agents, one after the other, in `folder`; what is wrong with each."""
    yield from _spoilt(good, folder, seeds, ["agent.json", "agent.safetensors"])


def runs(good, folder, seeds):
    """Spoilt runs likewise."""
    logs = ["progress.csv", "evaluations.csv", "timings.csv"]
    manifest = str(sorted((good / "checkpoint").glob("*/manifest.json"))[-1].relative_to(good))
    yield from _spoilt(good, folder, seeds, ["config.json", "run.json", "DONE", manifest, *logs, "agent/agent.json"])


def read_agent(folder):
    agent = pacer.load(folder)
    agent.predict(np.ones(agent.space.observation, np.float32), deterministic=True)
    agent.predict(np.ones(agent.space.observation, np.float32))


def read_run(folder):
    run = Run(folder)
    run.config, run.facts, run.status, run.agents(), run.progress(), run.timings(), run.evaluations()
    run.environment(), run.wrappers(), run.step, run.agent()
    find(folder)


def outcome(read, folder):
    """`accepted` or `refused`, the message, and seconds of work; any other error is the caller's to see."""
    start = time.process_time()  # a machine that is busy with other things is not the file's doing
    try:
        with np.errstate(all="ignore"):
            read(folder)
        said, how = "", "accepted"
    except PacerError as error:
        said, how = str(error), "refused"
    assert len(said) < 5_000
    assert all(c.isprintable() or c == "\n" for c in said), f"a message steers the terminal: {said!r}"
    return how, said, time.process_time() - start


def outcomes(read, spoilt, folder):
    """How many files had which outcome; and what was done to those whose outcome must not be."""
    counts, wrong = Counter(), []
    for what in spoilt:
        signal.alarm(LONGEST)  # which ends the process
        try:
            how, _, seconds = outcome(read, folder)
            how = SLOW if seconds > SECONDS else how
        except Exception as error:
            how, what = ODD, f"{what} led to {error!r}"
        counts[how] += 1
        wrong += [what] if how in (SLOW, ODD) else []
    signal.alarm(0)
    return counts, wrong


def _spoilt(good, folder, seeds, names):
    shutil.copytree(good, folder, dirs_exist_ok=True)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        name = str(rng.choice(names))
        kind = {".json": JSON, "": JSON, ".safetensors": ARRAYS, ".csv": TEXT}[os.path.splitext(name)[1]]
        ways = [*kind, *kind, *kind, *BYTES, *PLACES]
        way = ways[rng.integers(len(ways))]
        path = folder / name
        way(path, rng)
        yield f"{seed}: {way.__name__} {name}"
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
        shutil.copyfile(good / name, path)


# Ways to spoil any file.
def flip_bits(path, rng):
    content = bytearray(path.read_bytes())
    for place in rng.integers(len(content), size=int(rng.integers(1, 20))):
        content[place] ^= 1 << rng.integers(8)
    path.write_bytes(content)


def cut_short(path, rng):
    os.truncate(path, int(rng.integers(path.stat().st_size)))


def insert_bytes(path, rng):
    content, place = path.read_bytes(), int(rng.integers(path.stat().st_size))
    path.write_bytes(content[:place] + rng.bytes(int(rng.integers(1, 200))) + content[place:])


def repeat_part(path, rng):
    content = path.read_bytes()
    start, end = sorted(rng.integers(len(content), size=2))
    path.write_bytes(content[:end] + content[start:])


def noise(path, rng):
    path.write_bytes(rng.bytes(int(rng.integers(3_000))))


BYTES = [flip_bits, cut_short, insert_bytes, repeat_part, noise]


# Ways to put something else in its place.
def pipe(path, rng):
    path.unlink()
    os.mkfifo(path)


def device(path, rng):
    path.unlink()
    path.symlink_to(str(rng.choice(["/dev/zero", "/dev/random", "/dev/null", "/proc/self/mem", "."])))


def folder_instead(path, rng):
    path.unlink()
    path.mkdir()


def giant(path, rng):
    os.truncate(path, int(rng.choice([5 << 20, 10**9, 10**12])))  # sparse: takes no room


def nothing(path, rng):
    path.unlink()


PLACES = [pipe, device, folder_instead, giant, nothing]


# Ways to spoil JSON that stays JSON, mostly.
def change_values(path, rng):
    content = json.loads(path.read_text())
    for _ in range(int(rng.integers(1, 4))):
        holder, key = _places(content)[int(rng.integers(len(_places(content))))]
        holder[key] = _value(rng)
    _dump(path, content)


def change_a_number(path, rng):
    content = json.loads(path.read_text())
    places = [(h, k) for h, k in _places(content) if type(h[k]) in (int, float)] or [(content, "format")]
    holder, key = places[int(rng.integers(len(places)))]
    holder[key] = NUMBERS[rng.integers(len(NUMBERS))]
    _dump(path, content)


def drop_or_rename_a_key(path, rng):
    content = json.loads(path.read_text())
    places = [(h, k) for h, k in _places(content) if isinstance(h, dict)]
    holder, key = places[int(rng.integers(len(places)))]
    value = holder.pop(key)
    if rng.random() < 0.5:
        holder[str(rng.choice([s for s in STRINGS if s.isascii()]))] = value
    _dump(path, content)


def say_a_key_twice(path, rng):
    lines = path.read_text().splitlines()
    keyed = [k for k, line in enumerate(lines) if '": ' in line and line.rstrip().endswith(",")] or [0]
    line = keyed[int(rng.integers(len(keyed)))]
    path.write_text("\n".join([*lines[: line + 1], *lines[line:]]))


def nest_deeply(path, rng):
    content = json.loads(path.read_text())
    places = [(h, k) for h, k in _places(content) if isinstance(h[k], dict)] or [(content, "config")]
    holder, key = places[int(rng.integers(len(places)))]
    depth = int(rng.choice([40, 70, 400]))
    inner = holder.get(key, {}) if isinstance(holder, dict) else holder[key]
    for _ in range(depth):
        inner = {"piece": "Clipped", "inner": inner, "norm": 1.0}
    holder[key] = inner
    _dump(path, content)


def open_brackets(path, rng):
    path.write_text('{"format": 3, "a": ' + str(rng.choice(["[", '{"a":'])) * int(rng.choice([900, 100_000])))


JSON = [
    change_values,
    change_a_number,
    change_a_number,
    drop_or_rename_a_key,
    say_a_key_twice,
    nest_deeply,
    open_brackets,
]


# Ways to spoil the header of arrays.
def change_header(path, rng):
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header, rest = json.loads(content[8 : 8 + size]), content[8 + size :]
    name = str(rng.choice([key for key in header if key != "__metadata__"]))
    entry = header[name]
    match int(rng.integers(6)):
        case 0:
            entry["dtype"] = TYPES[rng.integers(len(TYPES))]
        case 1:
            entry["shape"] = [[1] * 40, [2**62, 4], [-1], [], [0], [10**6, 10**6], "x", [1.5]][rng.integers(8)]
        case 2:
            entry["data_offsets"] = [[0, 2**63 - 1], [8, 4], [-1, 4], [0, 0], [0], None][rng.integers(6)]
        case 3:
            header[STRINGS[1]] = header.pop(name)
        case 4:
            del header[name]
        case _:
            header.update({f"more{k}": entry for k in range(int(rng.choice([1, 5_000])))})
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + rest)


def claim_a_large_header(path, rng):
    claimed = int(rng.choice([2**20 + 1, 10**8, 2**40, 2**62]))
    path.write_bytes(struct.pack("<Q", claimed) + path.read_bytes()[8:])


def change_numbers(path, rng):
    """Weights that are not finite, or whose actions are not; bounds that are none."""
    content = bytearray(path.read_bytes())
    start = 8 + struct.unpack("<Q", content[:8])[0]
    values = np.frombuffer(content, np.float32, offset=start).copy()
    places = rng.integers(values.size, size=int(rng.choice([1, 100])))
    values[places] = rng.choice(np.float32([np.nan, np.inf, 3e38, -3e38, 1e-45]), len(places))
    path.write_bytes(content[:start] + values.tobytes())


ARRAYS = [change_header, change_header, claim_a_large_header, change_numbers, change_numbers]


# Ways to spoil a table.
def change_cells(path, rng):
    lines = [line.split(",") for line in path.read_text().splitlines()]
    for _ in range(int(rng.integers(1, 4))):
        line = lines[int(rng.integers(len(lines)))]
        cell = int(rng.integers(len(line)))
        line[cell] = str(_value(rng)).encode(errors="replace").decode()
    path.write_text("\n".join(",".join(line) for line in lines) + "\n")


TEXT = [change_cells]


def _places(content):
    """Every (container, key) in a JSON value."""
    found, waiting = [], [content]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        found += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys if isinstance(holder[key], dict | list)]
    return found


def _value(rng):
    values = (NUMBERS, STRINGS, OTHERS)[rng.integers(3)]
    return values[rng.integers(len(values))]


def _dump(path, content):
    path.write_text(json.dumps(content).replace("Infinity", "1e999"))


def main(kind, good, folder, first, last):
    """Read so many spoilt folders; the outcomes as JSON, with the most memory in bytes."""
    spoil, read = {"agents": (agents, read_agent), "runs": (runs, read_run)}[kind]
    read(Path(good))  # which imports all that is needed, and takes its time
    counts, wrong = outcomes(read, spoil(Path(good), Path(folder), range(int(first), int(last))), Path(folder))
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"counts": counts, "wrong": wrong, "memory": memory}))


if __name__ == "__main__":
    main(*sys.argv[1:])
