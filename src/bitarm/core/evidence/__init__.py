"""Evidence that one arm is better than another: valid at any time and for any counts of pulls."""
