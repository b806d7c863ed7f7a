"""The counter-examples of the paper's appendix A (and of two proofs in B and C), each with knobs.

One file an example: a frozen group of range-checked knobs, and exact quantities that are computed
from the constructed model by their definitions. Closed forms are what the tests hold them against.
"""
