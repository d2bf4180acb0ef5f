"""What the steps of the job do, seen from inside: its statements, its data flow, its calls."""
