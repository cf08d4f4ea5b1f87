"""The paper's five experiments, one file each."""
