"""What the paper compares PPE with: one file each, none of which knows another's internals."""
