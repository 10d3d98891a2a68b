"""From run folders to statistics, tables, figures and a page. Reads files only: no JAX, no training."""
