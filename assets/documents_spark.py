#!/usr/bin/env python3
"""Make search documents of more archive files than one machine reads.

`fonds index documents --map` and `--reduce` run unchanged on every machine,
through Spark's pipe; between them Spark sorts rows by the id of the document. All
parts one behind the other have the bytes of

    fonds index documents FILES > documents.jsonl

on one machine, with the same options.

    spark-submit --py-files inlinks_spark.py documents_spark.py \\
      --fonds /usr/local/bin/fonds --out hdfs:///documents warcs.txt

`inlinks_spark.py` lies beside this script and does the work. `warcs.txt` names one
WARC or ARC file a line; every machine has to see the files under these names,
and the program. Each part can be sent to Solr (/update/json/docs), or with
--reduce='--format opensearch' to OpenSearch or Elasticsearch (_bulk), by the
machine that made it.

Hadoop Streaming does the same without this script:

    hadoop jar hadoop-streaming.jar \\
      -D mapreduce.job.name=documents -D stream.num.map.output.key.fields=1 \\
      -D stream.map.output.field.separator='\\t' -D mapreduce.job.reduces=64 \\
      -inputformat org.apache.hadoop.mapred.lib.NLineInputFormat \\
      -D mapreduce.input.lineinputformat.linespermap=10 \\
      -input warcs.txt -output documents -file /usr/local/bin/fonds \\
      -mapper 'sh -c "./fonds index documents --map; test $? -le 1"' \\
      -reducer 'sh -c "./fonds index documents --reduce; test $? -le 1"'
"""

from inlinks_spark import run

if __name__ == "__main__":
    run(
        __doc__,
        "fonds index documents",
        map_words=["index", "documents", "--map"],
        reduce_words=["index", "documents", "--reduce"],
    )
