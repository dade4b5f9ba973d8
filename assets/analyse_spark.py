#!/usr/bin/env python3
"""Find names and terms in more documents than one machine reads.

`fonds analyse documents -` runs unchanged on every machine, through Spark's pipe; each
line that it writes depends on one document alone. All parts one behind the other have
the bytes of

    fonds analyse documents FILES > names.jsonl

on one machine, with the same options.

    spark-submit --py-files inlinks_spark.py analyse_spark.py \\
      --fonds /usr/local/bin/fonds --map='--authority /shared/deputies.csv' \\
      --out hdfs:///names documents.txt

`inlinks_spark.py` lies beside this script and does the work. `documents.txt` names one
file of documents a line, as `fonds index documents` or `documents_spark.py` write them
(part-* of a folder is several); every machine has to see the program and the authority
files under these names.

Hadoop Streaming does the same without this script; its output has no reducer, and an
empty separator, since it would put a tab behind each line:

    hadoop jar hadoop-streaming.jar \\
      -D mapreduce.job.name=names -D mapreduce.job.reduces=0 \\
      -D mapreduce.output.textoutputformat.separator= \\
      -input documents -output names -file /usr/local/bin/fonds -file deputies.csv \\
      -mapper 'sh -c "./fonds analyse documents --authority deputies.csv -; test $? -le 1"'
"""

from inlinks_spark import run

if __name__ == "__main__":
    run(__doc__, "fonds analyse documents", map_words=["analyse", "documents", "-"])
