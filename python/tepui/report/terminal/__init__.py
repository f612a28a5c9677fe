"""What a terminal shows during a run, and what a stream can show at all."""
