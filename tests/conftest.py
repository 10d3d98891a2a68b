"""One thread and a small fixture set; set before anything imports JAX."""

from pacer.runtime import keep_compiled_blocks, use_one_thread

use_one_thread()
keep_compiled_blocks()
