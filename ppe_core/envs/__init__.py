"""EX-BMDPs as vectorised simulators."""
