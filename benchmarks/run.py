"""Run the benchmarks: `make bench`, or `python benchmarks/run.py [--quick] [--write]`.

Each part is a table: pushdown systems state by state, the engines beside each other, delays, races
of engines, Boolean programs, those that fork, what fused steps save, what lowering and saturation
cost, the latter without weights and with them, large weighted files, reports in a browser, shorter
traces, the checker, limits, nets, programs for any number of threads, Java, and wide inputs. Every
row runs in a process of its own, one after another. With --write they make RESULTS.md and its
plots; with --only as well, the other parts stay as they are. The exit code is 1 if a row came out
other than expected, or not at all.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import sys
from pathlib import Path

from any_number import measure_any_number
from checking import measure_checking
from coverability import measure_coverability
from delays import measure_delays
from engines import measure_engines
from forks import measure_forks
from fusion import measure_fusion
from images import measure_images
from java_tasks import measure_java
from jmoped import measure_jmoped
from limits import measure_limits
from lowering import measure_lowering
from models import VARIABLE, public_folder
from processes import HERE
from programs import measure_programs
from race import measure_race
from reports import measure_reports
from rich.console import Console
from saturation import measure_saturation
from systems import measure_systems
from tables import Part
from traces import measure_traces
from views import measure_views
from weighing import measure_weighing
from weighted import measure_weights
from wide import measure_wide

import tepui
from tepui.limits import physical_memory

RESULTS = HERE / "RESULTS.md"
PARTS = {
    "systems": measure_systems,
    "engines": measure_engines,
    "delays": measure_delays,
    "images": measure_images,
    "race": measure_race,
    "programs": measure_programs,
    "forks": measure_forks,
    "fusion": measure_fusion,
    "lowering": measure_lowering,
    "saturation": measure_saturation,
    "weights": measure_weights,
    "weigh": measure_weighing,
    "reports": measure_reports,
    "traces": measure_traces,
    "checking": measure_checking,
    "limits": measure_limits,
    "coverability": measure_coverability,
    "any-number": measure_any_number,
    "java": measure_java,
    "jmoped": measure_jmoped,
    "wide": measure_wide,
    "views": measure_views,
}


def main() -> int:
    arguments = _arguments()
    console = Console()
    if public_folder() is None:
        console.print(f"The public suites are left out: {VARIABLE} does not name their folder.")
    parts = []
    for name in arguments.only or PARTS:
        with console.status(name) as status:
            part = PARTS[name](quick=arguments.quick, say=status.update)
        parts.append(part)
        _print(console, part)
    if arguments.write:
        kept = _written_parts() if arguments.only else {}
        RESULTS.write_text(_report(parts, kept), encoding="utf-8")
        for file, text in ((file, text) for part in parts for file, text in part.files.items()):
            (HERE / file).write_text(text, encoding="utf-8")
        console.print(f"Written to {RESULTS}")
    return 1 if any(part.complaints for part in parts) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run the benchmarks of tepui.")
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} as well")
    parser.add_argument("--only", choices=PARTS, action="append", help="run this part alone")
    return parser.parse_args()


def _print(console: Console, part: Part) -> None:
    """A terminal that is narrower than the table wraps its lines, and no number is lost."""
    Console(width=max(part.width, console.width)).print(part.as_table())
    for remark in [part.after, *part.remarks] if part.remarks else []:
        console.print(remark, markup=False, highlight=False)
    for complaint in part.complaints:
        console.print(complaint, style="red", markup=False)
    console.print()


def _written_parts() -> dict[str, str]:
    """The parts of RESULTS.md, by their titles."""
    _, *sections = RESULTS.read_text(encoding="utf-8").split("\n## ")
    return {section.partition("\n")[0]: f"## {section}".rstrip() for section in sections}


def _report(parts: list[Part], kept: dict[str, str]) -> str:
    """RESULTS.md: where and when, and the parts, those that are kept first."""
    sections = kept | {part.title: part.as_markdown() for part in parts}
    head = f"""# Results

Made by `python benchmarks/run.py --write`, last on {datetime.date.today().isoformat()}.

- machine: {_cpu()}, {os.cpu_count()} cores, {physical_memory() / 2**30:.0f} GiB
- system: {platform.platform()}
- versions: tepui {tepui.__version__}, Python {platform.python_version()}"""
    return "\n\n".join([head, *sections.values()]) + "\n"


def _cpu() -> str:
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
