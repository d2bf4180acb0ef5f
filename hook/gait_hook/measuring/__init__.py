"""Other ways to do what the job does, and steps without what is needless: timed in turns, the job untouched."""
