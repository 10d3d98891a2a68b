"""Steps per second beside Stable-Baselines3 and SBX: the same task, sizes and updates, in turns on one core.

    make bench        # or, after it:
    python benchmarks/peers.py [--rounds 3] [--steps 1000] [--env HalfCheetah-v4] [--cores 0 1]

Every round runs every contestant once, in a process of its own; the first 500 steps that learn, in which libraries
compile, do not count. Ratios are taken within a round, and given as median, lowest and highest.
"""

import argparse

import numpy as np
from race import keep, on_cores, pace

PAIRS = {
    "pacer:sac": ("sbx:SAC:fast", "sbx:SAC", "sb3:SAC"),
    "pacer:td3": ("sbx:TD3:fast", "sbx:TD3", "sb3:TD3"),
    "pacer:tqc": ("sbx:TQC:fast", "sbx:TQC", "sb3:TQC"),
    "pacer:pacer": ("sbx:SAC:fast", "sbx:SAC", "sbx:TQC:fast", "sbx:TQC", "sb3:TQC"),
    "pacer:pacer-m-adaptive": ("sbx:SAC:fast", "sbx:SAC", "sbx:TQC:fast", "sbx:TQC", "sb3:TQC"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1_000, help="that count, of each run")
    parser.add_argument("--env", default="HalfCheetah-v4")
    parser.add_argument("--ours", nargs="+", default=list(PAIRS), choices=PAIRS, metavar="NAME")
    parser.add_argument("--cores", type=int, nargs="+", default=[0], help="one run at a time on each")
    arguments = parser.parse_args()
    names = dict.fromkeys(name for mine in arguments.ours for name in (mine, *PAIRS[mine]))
    rounds = []
    for number in range(arguments.rounds):
        paces = on_cores(arguments.cores, list(names), lambda n, core: pace(n, arguments.env, arguments.steps, core))
        rounds.append(dict(zip(names, paces, strict=True)))
        print(f"round {number + 1}: " + ", ".join(f"{n} {p:.0f}" for n, p in rounds[-1].items()), flush=True)
    lines = [
        f"| {arguments.env} | steps per second | against | | ratio | lowest | highest |",
        "|---|--:|---|--:|--:|--:|--:|",
    ]
    for mine in arguments.ours:
        for other in PAIRS[mine]:
            ratios = [paces[mine] / paces[other] for paces in rounds]
            speeds = (np.median([paces[n] for paces in rounds]) for n in (mine, other))
            mine_pace, other_pace = speeds
            lines.append(
                f"| `{mine}` | {mine_pace:.0f} | `{other}` | {other_pace:.0f} | **{np.median(ratios):.2f}** | "
                f"{min(ratios):.2f} | {max(ratios):.2f} |"
            )
    all_of_them = set(arguments.ours) == set(PAIRS)
    keep("peers" if all_of_them else "_".join(["peers", *arguments.ours]).replace("pacer:", ""), "\n".join(lines))


if __name__ == "__main__":
    main()
