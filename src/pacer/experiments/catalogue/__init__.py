"""The experiments that come with the package, one file each."""
