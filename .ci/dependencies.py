#!/usr/bin/env python3
"""Checks licences and sources of all dependencies, as `cargo deny check
licenses sources` does with deny.toml, from which it takes its lists.

Reads what `cargo metadata` prints, or a file with that; exit status 1 where a
dependency is not allowed.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib


def is_allowed(expression, allowed):
    """Whether an SPDX expression can be met with these licences."""
    # Before SPDX had words for it, a slash stood between alternatives.
    tokens = re.findall(r"[()]|[^()\s]+", expression.replace("/", " OR "))

    def any_of():
        met = all_of()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            met = all_of() or met
        return met

    def all_of():
        met = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            met = one() and met
        return met

    def one():
        token = tokens.pop(0)
        if token == "(":
            met = any_of()
            tokens.pop(0)
            return met
        if tokens[:1] == ["WITH"]:
            tokens.pop(0)
            token = f"{token} WITH {tokens.pop(0)}"
        return token in allowed

    return any_of() and not tokens


def problems(packages, rules):
    """What is not allowed, one line each."""
    allowed = set(rules["licenses"]["allow"])
    exceptions = {entry["crate"]: set(entry["allow"]) for entry in rules["licenses"].get("exceptions", [])}
    # Without a list it is one registry for all, the one that cargo asks by default.
    listed = {f"registry+{url}" for url in rules["sources"].get("allow-registry", [])}
    sources = [package["source"] for package in packages if package.get("source") is not None]
    registries = listed or {max(set(sources), key=sources.count, default="registry+")}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        expression = package.get("license") or ""
        try:
            met = is_allowed(expression, allowed | exceptions.get(package["name"], set()))
        except IndexError:
            met = False
        if not met:
            yield f"{name}: its licence “{expression}” is not in the list of deny.toml"
        # A package without a source is one of this folder.
        source = package.get("source")
        if source is not None and not (source in registries and source.startswith("registry+")):
            yield f"{name}: it comes from {source}, which is not in the list of deny.toml"


def main():
    here = pathlib.Path(__file__).parent
    rules = tomllib.loads((here / "deny.toml").read_text())
    if len(sys.argv) > 1:
        text = pathlib.Path(sys.argv[1]).read_text()
    else:
        call = ["cargo", "metadata", "--format-version", "1", "--all-features", "--locked"]
        text = subprocess.run(call, cwd=here.parent, check=True, stdout=subprocess.PIPE, text=True).stdout
    packages = json.loads(text)["packages"]
    found = list(problems(packages, rules))
    print("\n".join(found + [f"{len(packages)} packages, {len(found)} not allowed"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
