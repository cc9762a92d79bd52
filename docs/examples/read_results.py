#!/usr/bin/python3
"""Prints the median seconds, and the rate, of each case and point of a result file of assay."""
import sys

import h5py
import numpy
import pandas


def read_table(file, name):
    """A table of the file as a DataFrame, with text instead of bytes."""
    frame = pandas.DataFrame.from_records(file[name][:])
    for column in frame.columns[frame.dtypes == object]:
        frame[column] = frame[column].str.decode("utf-8", errors="replace")
    return frame


def seconds_of_set(row, samples):
    """One time per iteration of the whole set of ranks."""
    stored = samples[row["offset"] : row["offset"] + row["count"]]
    by_rank = stored.reshape(row["ranks"], row["kept"])
    if row["combine"] == "slowest":
        return by_rank.max(axis=0)
    if row["combine"] == "concurrent":
        return 1 / (1 / by_rank).mean(axis=0)
    raise ValueError(f"series {row['series']}: unknown way to combine ranks: {row['combine']}")


def value_of(row, seconds):
    """In byte/s, FLOP/s or operations/s; for latency in seconds."""
    if row["work_kind"] == "latency":
        return seconds / row["work"]
    return row["work"] * row["bus_factor"] / seconds


def main(path):
    with h5py.File(path, "r") as file:
        run = file["run"].attrs
        print(f"run {run['run_id'].decode()} is {run['status'].decode()}, {run['ranks']} ranks")
        series = read_table(file, "series")
        samples = file["samples"][:]

    measured = series[(series.status == "ok") & (series.kept > 0)].copy()
    if measured.empty:
        print("no series is complete")
        return
    measured["seconds"] = [numpy.median(seconds_of_set(row, samples)) for _, row in measured.iterrows()]
    measured["value"] = [value_of(row, row["seconds"]) for _, row in measured.iterrows()]
    # The epochs of a point are spread over the run: the median of their medians.
    points = measured.groupby(["case", "point"]).agg(
        epochs=("epoch", "nunique"), work_kind=("work_kind", "first"), seconds=("seconds", "median"),
        value=("value", "median"))
    print(points.to_string(float_format="{:.6g}".format))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: read_results.py run.h5")
    main(sys.argv[1])
