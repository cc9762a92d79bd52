#!/usr/bin/env python3
"""One table of a GPU's figures beside the catalogue's: device_table.py GPUS.toml "NVIDIA H200" RUN.json...

RUN.json is what `assay show --json` prints. Exits 1 when a series failed or none is there, 2 when a file cannot be read."""

import json
import re
import sys

TYPES = {"f64": ("fp64_tensor", "fp64"), "f32": ("fp32",), "tf32": ("tf32",), "bf16": ("bf16",), "f16": ("fp16",),
         "f8": ("fp8",), "i8": ("int8",)}
# Shares of the peak that healthy cards reach, where the catalogue has no figure that was measured.
HEALTHY = {"f64": 0.90, "f32": 0.85, "tf32": 0.70, "bf16": 0.70, "f16": 0.70, "f8": 0.62, "i8": 0.62}
NEAR_ENOUGH = 0.95            # of the least figure that the catalogue has of a healthy card
MEMORY_SHARE = 0.85           # of the sheet's rate: read, copy and triad of a healthy card
HOST_SHARE = 0.76             # of the link's usable rate
PCIE_USABLE = {3: 15.8, 4: 31.5, 5: 63.0, 6: 121.0}  # GB/s for 16 lanes, one way


def catalogue(path):
    """Products as dictionaries. The file's values are all valid JSON, and each stands on its own line."""
    products = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() == "[[gpu]]":
                products.append({})
            match = re.match(r"(\w+) = (.*)", line)
            if match and products:
                products[-1][match[1]] = json.loads(match[2])
    return products


def product_named(products, name):
    return next((one for one in products if name in one["name_patterns"]), None)


def axis(series, name):
    match = re.search(rf"/{name}:([^/]+)", series["name"])
    return match[1] if match else ""


def expectation(series, product):
    """(what a sheet promises, share of it that a healthy card reaches); (None, None) where no figure is known."""
    case = series["name"].split("/")[0]
    if case == "gpu.gemm":  # burn_in also compares every result, in the same time
        kind = axis(series, "dtype")
        peak = next((product[key] for key in TYPES.get(kind, ()) if product.get(key)), None)
        if not peak:
            return None, None
        known = product.get(f"measured_{TYPES[kind][-1]}")
        return peak * 1e12, NEAR_ENOUGH * min(known) / peak if known else HEALTHY[kind]
    if case == "gpu.memory":
        return product["memory_gbps"] * 1e9, MEMORY_SHARE
    if case == "gpu.host_copy" and product.get("pcie_gen") in PCIE_USABLE:
        ways = 2 if axis(series, "way") == "both" else 1
        lanes = product.get("pcie_lanes", 16) / 16
        return ways * lanes * PCIE_USABLE[product["pcie_gen"]] * 1e9, HOST_SHARE
    return None, None


def in_words(value, dimension):
    if dimension == "seconds":
        return f"{value * 1e6:.3f} us" if value > 1e-6 else f"{value * 1e9:.1f} ns"
    unit = {"flops_per_second": "FLOP/s", "bytes_per_second": "B/s"}.get(dimension, dimension)
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= scale:
            return f"{value / scale:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"


def row(series, product):
    measured = series["value"]
    if series["status"] != "ok" or measured is None:
        return [series["name"], series["status"], "-", "-", "FAILED: " + series.get("problem", "")]
    promised, share = expectation(series, product) if product else (None, None)
    if promised is None:
        return [series["name"], in_words(measured, series["dimension"]), "-", "-", "no figure to hold it against"]
    reached = measured / promised
    verdict = "as a healthy card" if reached >= share else f"below {share:.0%}, where healthy cards are"
    return [series["name"], in_words(measured, series["dimension"]), in_words(promised, series["dimension"]),
            f"{reached:.1%}", verdict]


def main():
    try:
        product = product_named(catalogue(sys.argv[1]), sys.argv[2])
        runs = []
        for path in sys.argv[3:]:
            with open(path, encoding="utf-8") as file:
                runs.append(json.load(file))
    except (OSError, ValueError) as error:
        print(f"device_table: {error}")
        return 2
    if any(run["emulated"] for run in runs):
        print("EMULATED: nothing here is evidence about real hardware")
    print(f"{sys.argv[2]}: " + (f"catalogue entry {product['id']}" if product else "not in the catalogue"))
    series = [one for run in runs for one in run["series"]]
    table = [["case and point", "measured", "data sheet", "share", ""]] + [row(one, product) for one in series]
    widths = [max(len(line[i]) for line in table) for i in range(4)] + [0]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    failed = sum(one["status"] != "ok" or one["value"] is None for one in series)
    print(f"{len(series)} figures, {failed} failed")
    return 1 if failed or not series else 0


if __name__ == "__main__":
    sys.exit(main())
