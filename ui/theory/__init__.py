"""The sections of the Theory page, one file a kind: claims with formulas, live sweeps, counter-examples with knobs."""
