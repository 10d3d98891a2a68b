"""`pacer list`: every recipe, in a line."""

from pacer.presets import SIZES
from pacer.recipes import RECIPES


def main(arguments: list[str]) -> None:
    width = max(map(len, RECIPES))
    for name, (meaning, _) in RECIPES.items():
        print(f"{name:{width}}  {meaning}")
    print("\nsizes (--size)")
    for name, size in SIZES.items():
        print(
            f"{name:{width}}  hidden layers {'-'.join(map(str, size.hidden))}, batch {size.batch}, "
            f"{size.levels} levels, {size.samples} samples"
        )
