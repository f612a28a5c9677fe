"""Pictures as SVG: plots of observation sequences, and graphs."""
