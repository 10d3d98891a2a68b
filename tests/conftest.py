"""One thread and a small fixture set; set before anything imports JAX."""

from pacer.threads import use_one_thread

use_one_thread()
