"""Nets from files: thread transition systems (`.tts`) and mist's `.spec`."""
