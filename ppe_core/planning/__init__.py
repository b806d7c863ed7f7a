"""Planning with what PPE recovered."""
