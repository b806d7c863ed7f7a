"""The figures of the paper's section 6, run again: what to run, what came out, and what it says of each claim."""
