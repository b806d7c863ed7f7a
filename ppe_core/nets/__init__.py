"""Classifiers and the one training loop."""
