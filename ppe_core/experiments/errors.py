"""What can go wrong around a run, in words for the person who can change it."""


class Unusable(Exception):
    """Something outside the program is not as it should be: the store, the cluster, a stored run."""
