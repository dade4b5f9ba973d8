#!/usr/bin/env python3
"""Build the inlink data set of more archive files than one machine holds.

`fonds inlinks map` and `fonds inlinks reduce` run unchanged on every machine,
through Spark's pipe; between them Spark sorts rows by the key of the page that
is linked to. All parts one behind the other have the bytes of

    fonds inlinks dataset --out inlinks.jsonl FILES

on one machine, with the same options.

    spark-submit inlinks_spark.py --fonds /usr/local/bin/fonds --out hdfs:///inlinks warcs.txt

`warcs.txt` names one WARC or ARC file a line. Every machine has to see the
files under these names, and the program. The list is cut into slices of
neighbours (--map-tasks): a revisit finds its original within its slice, so
files of one crawl belong together; what was not found is in the log.

Hadoop Streaming does the same without this script. Its keys are the first
column; for parts that go one behind the other, and not only are each in
order, add a partitioner by range (-partitioner
org.apache.hadoop.mapred.lib.TotalOrderPartitioner with its own partition file):

    hadoop jar hadoop-streaming.jar \\
      -D mapreduce.job.name=inlinks -D stream.num.map.output.key.fields=1 \\
      -D stream.map.output.field.separator='\\t' -D mapreduce.job.reduces=64 \\
      -inputformat org.apache.hadoop.mapred.lib.NLineInputFormat \\
      -D mapreduce.input.lineinputformat.linespermap=100 \\
      -input warcs.txt -output inlinks -file /usr/local/bin/fonds \\
      -mapper 'sh -c "./fonds inlinks map; test $? -le 1"' \\
      -reducer 'sh -c "./fonds inlinks reduce; test $? -le 1"'

(fonds answers 1 where it found something broken within the files and told it on
standard error, and 2 where one of the files cannot be read, or no row; only
that shall fail a task: Spark and Hadoop try it again, and end with an error
where the file stays away. `dataset` on one machine goes on without the file,
says so and answers 1.)
"""

import argparse
import glob
import os
import re
import shlex

import pyspark
from pyspark import SparkConf, SparkContext, StorageLevel


def tell_scala():
    """A cluster on one machine (local-cluster[...]) starts workers as a checkout
    of Spark does; the package of PyPI is none and has to be told its Scala."""
    jars = os.path.join(os.path.dirname(pyspark.__file__), "jars", "spark-core_*.jar")
    found = [re.search(r"spark-core_([0-9.]+)-", path) for path in glob.glob(jars)]
    for version in filter(None, found):
        os.environ.setdefault("SPARK_SCALA_VERSION", version.group(1))


def key_of(row):
    """The page that is linked to, or the id of a document: the first column."""
    return row.split("\t", 1)[0]


def filter_command(fonds, half, options):
    """One half as a filter that fails only where a file, or all rows, cannot be read."""
    words = [fonds, *half, *shlex.split(options)]
    return "sh -c " + shlex.quote(shlex.join(words) + "; test $? -le 1")


def build(context, files, args, map_words, reduce_words):
    """Rows of all files, sorted, to lines in order."""
    slices = min(args.map_tasks or len(files), len(files)) or 1
    rows = context.parallelize(files, slices).pipe(
        filter_command(args.fonds, map_words, args.map), checkCode=True
    )
    # Borders between parts are found by looking at the rows, which are made once for that.
    rows = rows.keyBy(key_of).persist(StorageLevel.DISK_ONLY)
    # Text in Python is in the order of code points, as UTF-8 bytes are.
    parts = rows.sortByKey(numPartitions=args.reduce_tasks or context.defaultParallelism)
    return parts.values().pipe(
        filter_command(args.fonds, reduce_words, args.reduce), checkCode=True
    )


def filter_lines(context, files, args, map_words):
    """The lines of all files through a filter that has one half, in their order."""
    lines = context.union([context.textFile(file, args.map_tasks) for file in files])
    return lines.pipe(filter_command(args.fonds, map_words, args.map), checkCode=True)


def run(about, command, map_words, reduce_words=None):
    """Reads the command line and does it with these two halves; without a second one, the
    first is a filter of the lines of the files."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", help="file with the name of one archive file a line")
    parser.add_argument("--out", required=True, help="folder that Spark makes; parts go one behind the other")
    parser.add_argument("--fonds", default="fonds", help="the program, as every machine has it")
    parser.add_argument("--map", default="", metavar="OPTIONS", help="of the first half, as '--preset arquivo-2024'")
    parser.add_argument("--reduce", default="", metavar="OPTIONS", help="of the second half, as '--memory-mib 256'")
    parser.add_argument("--map-tasks", type=int, metavar="N", help="slices of the list [default: one a file]")
    parser.add_argument("--reduce-tasks", type=int, metavar="N", help="parts [default: as many as Spark has cores]")
    parser.add_argument("--gzip", action="store_true", help="compress the parts")
    parser.add_argument("--master", help="where to run, when not told by spark-submit: 'local-cluster[2,1,1024]'")
    args = parser.parse_args()
    with open(args.list, encoding="utf-8") as lines:
        files = [line.strip() for line in lines if line.strip()]
    conf = SparkConf().setAppName(command)
    if args.master:
        tell_scala()
        conf.setMaster(args.master)
    context = SparkContext(conf=conf)
    if __name__ != "__main__":
        # Workers need the functions of this file, which another script called.
        context.addPyFile(__file__)
    try:
        if reduce_words is None:
            lines = filter_lines(context, files, args, map_words)
        else:
            lines = build(context, files, args, map_words, reduce_words)
        codec = "org.apache.hadoop.io.compress.GzipCodec" if args.gzip else None
        lines.saveAsTextFile(args.out, compressionCodecClass=codec)
    finally:
        context.stop()


if __name__ == "__main__":
    run(__doc__, "fonds inlinks", map_words=["inlinks", "map"], reduce_words=["inlinks", "reduce"])
