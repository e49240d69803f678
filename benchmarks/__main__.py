"""Runs the benchmarks, prints the table and writes benchmarks/results.json."""

import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from statistics import median

from benchmarks import ingest
from benchmarks.result import Result

RESULTS = Path(__file__).parent / "results.json"
BENCHMARKS = (ingest,)


def main() -> int:
    """Runs those that the command line names, or all; fails when a ratio is not reached."""
    chosen = [one for one in BENCHMARKS if not sys.argv[1:] or _name(one) in sys.argv[1:]]
    results = []
    for benchmark in chosen:
        print(f"{_name(benchmark)} …", flush=True)
        results.append(benchmark.run())
    _print(results)
    RESULTS.write_text(
        json.dumps({"machine": _machine(), "results": [_entry(one) for one in results]}, indent=2) + "\n"
    )
    return 0 if all(result.reached for result in results) else 1


def _name(benchmark: object) -> str:
    return str(getattr(benchmark, "__name__", "")).rpartition(".")[2]


def _machine() -> dict[str, str | int | None]:
    return {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}


def _entry(result: Result) -> dict[str, object]:
    return asdict(result) | {"ratio": round(result.ratio, 3), "reached": result.reached}


def _print(results: list[Result]) -> None:
    print(f"\n{'benchmark':<12} {'median ratio':>12} {'range':>12} {'wanted':>8}   against")
    for result in results:
        spread = f"{min(result.ratios):.2f}–{max(result.ratios):.2f}"
        wanted = f"≥ {result.wanted}"
        verdict = "" if result.reached else "   NOT REACHED"
        print(f"{result.name:<12} {result.ratio:>12.2f} {spread:>12} {wanted:>8}   {result.limit}{verdict}")
        for name, value in result.details.items():
            print(f"{'':<12} {name}: {median(value) if isinstance(value, list) else value}")


if __name__ == "__main__":
    sys.exit(main())
