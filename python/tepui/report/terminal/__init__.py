"""What a terminal shows while a run goes on, and what a stream can show at all."""
