"""PPE Lab's core: Predictive Path Elimination, its environments, and the engine that runs it."""
