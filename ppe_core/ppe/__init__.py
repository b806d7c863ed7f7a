"""Predictive Path Elimination: extend, collect, classify, compare, eliminate."""
