"""The plan of a recording: what is timed and traced, and the file that the program reads afterwards."""
