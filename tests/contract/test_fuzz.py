"""schemathesis against the real product: no 500, no undocumented answer, and all else that it checks.

The command is the one that an outsider would run. Its default checks are all on; hooks.py tells what is done
to valid events, whose times no schema can bound. Long with ETTDASH_FUZZ_EXAMPLES, by `make fuzz`.
"""

import os
import subprocess
import sys

import pytest

from ettdash.launcher.data_dir import PROJECT
from tests.launcher.running import Launcher, create_token

EXAMPLES = os.environ.get("ETTDASH_FUZZ_EXAMPLES", "")


def test_a_caller_who_may(product: Launcher) -> None:
    token = create_token(product.data_dir, "vision", "write")
    fuzz(product, token, "--max-examples", EXAMPLES or "15")


@pytest.mark.parametrize("who", ["nobody", "wrong", "reader"])
def test_a_caller_who_may_not(product: Launcher, who: str) -> None:
    tokens = {"nobody": "", "wrong": "ett_wrong"}
    secret = tokens[who] if who in tokens else create_token(product.data_dir, "vision", "read")
    fuzz(product, secret, *(() if EXAMPLES else ("--phases", "fuzzing")), "--max-examples", EXAMPLES or "8")


def fuzz(product: Launcher, token: str, *options: str) -> None:
    """Run it: in the short form with the same cases each time, in the long one with new ones."""
    address = f"http://127.0.0.1:{product.port}/api/v1/openapi.json"
    config = ["--config-file", str(PROJECT / "schemathesis.toml")]
    command = [sys.executable, "-m", "schemathesis.cli", *config, "run", address, "--no-color", *options]
    command += (
        ["--generation-database", "none"] if EXAMPLES else ["--generation-deterministic", "--no-shrink"]
    )
    command += ["--header", f"Authorization: Bearer {token}"] if token else []
    # It leaves a folder of its own where it is run.
    where, env = product.data_dir.parent, os.environ | {"PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
