"""Results for other programs: JSON, SARIF, witnesses."""
