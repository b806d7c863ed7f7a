"""Exact answers: closed forms, no training."""
