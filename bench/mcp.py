"""What agents' questions take at ten million edges, and how large the answers are.

    python -m bench.large --size 10M --store FILE      fills the file
    python -m bench.mcp --store FILE                   asks it by an MCP client

Each tool is asked by a client on the server's own `colgraph mcp`, as an agent does, for the same
columns; the first question of all, which fills caches, is a line of its own. A store of
`bench.large` has no lineage bodies: `column_operations` and `unused_columns` read less than others.
CPU times are those of the server, in steps of 10 ms, where /proc has them: on a machine that others
use as well, wall times say more of these.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench.synthetic import LARGE, LAYERS, NAMESPACE, column, name

START = "from airflow_colgraph.cli import main; main()"
MOST_MS, MOST_BYTES = 300, 8_000
FIELDS = 20  # that each tool is asked about
SQL = "CREATE TABLE mart AS SELECT a.x, sum(b.y) AS y FROM a JOIN b ON a.id = b.id GROUP BY a.x"
BASE = {"changed": SQL.replace("sum", "avg"), "base": SQL, "dialect": "postgres"}
OF_COLUMN: dict[str, dict[str, Any]] = {
    "column_sources": {},
    "column_uses": {},
    "column_sources, conditions": {"conditions": True},
    "column_operations": {},
    "why_different": {"since": "now-1d"},
    "impact_of_change": {},
    "copies_of_column": {},
}
OF_DATASET = {"columns_of": {}, "lineage_changes": {"before": "now-1d"}, "missing_lineage": {}}
OTHERS: dict[str, dict[str, Any]] = {
    "find": {"text": "dataset_0004"},
    "find, in no name": {"text": "custmoer"},
    "lineage_of_sql": {"sql": SQL, "dialect": "postgres"},
    "compare_versions": BASE,
}


def questions() -> dict[str, list[dict[str, Any]]]:
    """The arguments of each tool."""
    choose, size = random.Random(1), LARGE["10M"]
    places = [
        {
            "dataset": name(choose.randrange(size.datasets), size.datasets // LAYERS),
            "namespace": NAMESPACE,
        }
        for _ in range(FIELDS)
    ]
    columns = [{**place, "column": column(choose.randrange(size.columns))} for place in places]
    return {
        **{what: [{**each, **more} for each in columns] for what, more in OF_COLUMN.items()},
        **{what: [{**each, **more} for each in places] for what, more in OF_DATASET.items()},
        "unused_columns": places,
        **{what: [asked] * 5 for what, asked in OTHERS.items()},
    }


async def measure(url: str) -> bool:
    """Print a line for each tool; whether all are within the limits."""
    words = ["-c", START, "--store", url, "mcp"]
    server = StdioServerParameters(command=sys.executable, args=words)
    is_within = True
    async with Client(server) as client:
        begin = time.perf_counter()
        await client.call_tool("find", {"text": "dataset"})
        print(f"the first question: {(time.perf_counter() - begin) * 1000:.0f} ms")
        print("tool: p50 / most ms (CPU), the largest answer")
        for what, asked in questions().items():
            times, cpu, sizes = [], [], []
            for arguments in asked:
                begin, cpu_begin = time.perf_counter(), cpu_ms()
                answer = await client.call_tool(what.partition(",")[0], arguments)
                times.append((time.perf_counter() - begin) * 1000)
                cpu.append(cpu_ms() - cpu_begin)
                assert not answer.is_error, (what, arguments, answer.content)
                sizes.append(len(json.dumps(answer.structured_content, ensure_ascii=False)))
            times.sort()
            cpu.sort()
            fits = times[-1] <= MOST_MS and max(sizes) <= MOST_BYTES
            is_within = is_within and fits
            mark = "" if fits else "  OVER"
            half, most = times[len(times) // 2], times[-1]
            of_cpu = f"{cpu[len(cpu) // 2]:.0f} / {cpu[-1]:.0f}"
            line = f"{what}: {half:.0f} / {most:.0f} ms ({of_cpu}), {max(sizes):,} bytes{mark}"
            print(line, flush=True)
    return is_within


def cpu_ms() -> float:
    """The CPU time of this process's children so far; 0 where /proc does not have it."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            if fields[1] == str(os.getpid()):
                ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Ask the store; exit code 1 if an answer is over a limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", required=True, metavar="FILE", help="a file of bench.large")
    sys.exit(not asyncio.run(measure(f"sqlite:///{parser.parse_args().store}")))


if __name__ == "__main__":
    main()
