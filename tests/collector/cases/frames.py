"""Cases that only DataFrames can say. Each function is a job; its docstring is the lineage.

`spark` is a session with the tables of tables.sql; a job writes what the lineage is about.
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window


def save(frame: DataFrame, name: str) -> None:
    frame.write.mode("overwrite").saveAsTable(f"mart.{name}")


def python_udf(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.c INDIRECT:FILTER
    """
    add = F.udf(lambda left, right: left + right, "int")
    is_odd = F.udf(lambda value: value % 2 == 1, "boolean")
    frame = spark.table("raw.t1").where(is_odd("c"))
    save(frame.select("a", add("a", "b").alias("x")), "python_udf")


def pandas_udf(spark: SparkSession) -> None:
    """
    x <- raw.t1.b DIRECT:TRANSFORMATION
    m <- raw.t1.a INDIRECT:WINDOW
    m <- raw.t1.c DIRECT:AGGREGATION
    """
    import pandas as pd

    def plus_one(values: pd.Series) -> pd.Series:
        return values + 1

    def mean(values: pd.Series) -> float:
        return float(values.mean())

    add = F.pandas_udf(plus_one, "int")
    average = F.pandas_udf(mean, "double")
    window = Window.partitionBy("a")
    frame = spark.table("raw.t1")
    save(frame.select(add("b").alias("x"), average("c").over(window).alias("m")), "pandas_udf")


def map_in_pandas(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a", "b")
    mapped = frame.mapInPandas(
        lambda parts: (p[["a"]].set_axis(["x"], axis=1) for p in parts), "x int"
    )
    save(mapped, "map_in_pandas")


def apply_in_pandas(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION
    a <- raw.t1.b DIRECT:TRANSFORMATION
    z <- raw.t1.a DIRECT:TRANSFORMATION
    z <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a", "b")
    applied = frame.groupBy("a").applyInPandas(
        lambda part: part.set_axis(["a", "z"], axis=1), "a int, z int"
    )
    save(applied, "apply_in_pandas")


def cogroup(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    x <- raw.t2.a DIRECT:TRANSFORMATION
    x <- raw.t2.c DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:FILTER
    * <- raw.t2.a INDIRECT:GROUP_BY, INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    * <- raw.t2.c INDIRECT:FILTER
    """
    left = spark.table("raw.t1").select("a", "b").groupBy("a")
    right = spark.table("raw.t2").select("a", "c").groupBy("a")
    both = left.cogroup(right).applyInPandas(
        lambda one, _: one[["a"]].set_axis(["x"], axis=1), "x int"
    )
    save(both, "cogroup")


def drop_duplicates(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    b <- raw.t1.b DIRECT:IDENTITY
    c <- raw.t1.c DIRECT:IDENTITY
    * <- raw.t1.a INDIRECT:GROUP_BY
    """
    save(spark.table("raw.t1").dropDuplicates(["a"]), "drop_duplicates")


def I7_files_to_files(spark: SparkSession) -> None:
    """
    id   <- /files/ids.id DIRECT:IDENTITY
    col2 <- /files/ids.id DIRECT:TRANSFORMATION
    """
    path = f"{ROOT}/files/ids"
    spark.range(3).write.mode("overwrite").parquet(path)
    frame = spark.read.parquet(path).withColumn("col2", F.col("id") * 2)
    frame.write.mode("overwrite").parquet(f"{path}2")


def I12_a_cache_of_a_cache(spark: SparkSession) -> None:
    """
    e <- raw.t1.a DIRECT:IDENTITY
    f <- raw.t1.b DIRECT:IDENTITY
    """
    first = spark.table("raw.t1").select(F.col("a").alias("c"), F.col("b").alias("d")).cache()
    first.count()
    second = first.select(F.col("c").alias("e"), F.col("d").alias("f")).cache()
    save(second, "I12")


def M1_a_cached_outer_join_with_the_same_names(spark: SparkSession) -> None:
    """
    a  <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
    b  <- raw.t1.b DIRECT:IDENTITY
    b2 <- raw.t1.b DIRECT:IDENTITY
    *  <- raw.t1.a INDIRECT:JOIN
    """
    frame = spark.table("raw.t1").select("a", "b").cache()
    both = frame.alias("l").join(frame.alias("r"), "a", "full_outer").cache()
    save(both.toDF("a", "b", "b2"), "M1")


def cached_and_joined_with_itself(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    r <- raw.t1.a DIRECT:TRANSFORMATION
    * <- raw.t1.b INDIRECT:JOIN
    """
    frame = spark.table("raw.t1").select((F.col("a") + 1).alias("x"), "b").cache()
    joined = frame.alias("l").join(frame.alias("r"), F.col("l.b") == F.col("r.b"))
    save(joined.select(F.col("l.x"), F.col("r.x").alias("r")), "cached")


def statistics_of_vectors(spark: SparkSession) -> None:
    """
    mean <- raw.t1.a DIRECT:AGGREGATION
    mean <- raw.t1.b DIRECT:AGGREGATION
    most <- raw.t1.a DIRECT:AGGREGATION
    most <- raw.t1.b DIRECT:AGGREGATION
    most <- raw.t1.c DIRECT:AGGREGATION
    n <- raw.t1.a DIRECT:AGGREGATION masking
    * <- raw.t1.c INDIRECT:FILTER
    """
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.stat import Summarizer

    frame = VectorAssembler(inputCols=["a", "b"], outputCol="v").transform(spark.table("raw.t1"))
    mean = vector_to_array(Summarizer.mean(frame.v))  # Spark cannot print its MetricsAggregate
    most = vector_to_array(Summarizer.metrics("max").summary(frame.v, frame.c).max)
    made = (mean.alias("mean"), most.alias("most"), F.count("a").alias("n"))
    frame = frame.where("c > 1").agg(*made)
    save(frame, "statistics_of_vectors")


def local_checkpoint(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").where("b > 1").select((F.col("a") + 1).alias("x"))
    save(frame.localCheckpoint(), "local_checkpoint")


def lazy_and_reliable_checkpoints(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    s <- raw.t1.c DIRECT:AGGREGATION
    * <- raw.t1.a INDIRECT:GROUP_BY
    * <- raw.t1.b INDIRECT:FILTER
    """
    spark.sparkContext.setCheckpointDir(f"{ROOT}/checkpoints")
    frame = spark.table("raw.t1").where("b > 1").select("a", "c").localCheckpoint(eager=False)
    save(frame.groupBy("a").agg(F.sum("c").alias("s")).checkpoint(), "lazy_and_reliable")


def a_relation_beside_its_checkpoint(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    c <- raw.t1.c DIRECT:IDENTITY
    """
    base = spark.table("raw.t1")
    base.where("b > 1").select("a").localCheckpoint()
    save(base.select("a", "c"), "beside_its_checkpoint")


def a_view_of_what_was_checkpointed(spark: SparkSession) -> None:
    """
    b <- raw.t1.b DIRECT:IDENTITY
    s <- raw.t1.c DIRECT:AGGREGATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:GROUP_BY
    """
    base = spark.table("raw.t1").cache()
    base.createOrReplaceTempView("t1_viewed")
    base.groupBy("b").agg(F.sum("a").alias("n")).localCheckpoint()
    base.where("c > 1").localCheckpoint()
    save(spark.sql("SELECT b, sum(c) s FROM t1_viewed WHERE a > 0 GROUP BY b"), "viewed")
    base.unpersist()


def a_checkpoint_and_its_relation_with_the_same_columns(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY, DIRECT:TRANSFORMATION
    b <- raw.t1.b DIRECT:IDENTITY
    c <- raw.t1.c DIRECT:IDENTITY
    """
    base = spark.table("raw.t1")
    kept = base.localCheckpoint()
    save(kept.withColumn("a", F.col("a") + 1).union(base), "the_same_columns")


def one_of_two_checkpoints_of_the_same_columns(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:FILTER
    """
    base = spark.table("raw.t1")
    first = base.where("b > 1").select("a").localCheckpoint()
    base.where("c > 1").select("a").localCheckpoint()
    save(first, "one_of_two")


def two_checkpoints_of_the_same_columns(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:FILTER
    * <- raw.t1.c INDIRECT:FILTER
    """
    base = spark.table("raw.t1")
    first = base.where("b > 1").select("a").localCheckpoint()
    second = base.where("c > 1").select("a").localCheckpoint()
    save(first.union(second), "two_of_the_same")


def checkpointed_twice(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:FILTER
    """
    base = spark.table("raw.t1")
    frame = base.where("b > 1").select("a")
    frame.localCheckpoint()
    base.where("c > 1").select("a").localCheckpoint()
    save(frame.localCheckpoint(), "checkpointed_twice")


def a_checkpoint_united_with_itself(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    a <- raw.t1.c DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:FILTER
    """
    kept = spark.table("raw.t1").where("b > 1").localCheckpoint()
    save(kept.select("a").union(kept.select("c")), "united_with_itself")


def a_checkpoint_joined_with_itself(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    n <- raw.t1.c DIRECT:AGGREGATION
    * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:JOIN
    * <- raw.t1.b INDIRECT:FILTER
    """
    kept = spark.table("raw.t1").where("b > 1").localCheckpoint()
    kept.createOrReplaceTempView("t1_kept")
    statement = "SELECT l.a, max(r.c) n FROM t1_kept l JOIN t1_kept r ON l.a = r.a GROUP BY l.a"
    save(spark.sql(statement), "joined_with_itself")


def a_checkpoint_of_a_checkpoint(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    z <- raw.t1.a DIRECT:TRANSFORMATION
    z <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.b INDIRECT:FILTER
    * <- raw.t1.c INDIRECT:FILTER
    """
    kept = spark.table("raw.t1").where("c > 1").localCheckpoint()
    computed = kept.withColumn("z", F.col("a") + F.col("b")).localCheckpoint()
    save(computed.where("b > 2").localCheckpoint().select("a", "z"), "of_a_checkpoint")


def a_loop_of_checkpoints(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    n <- raw.t1.a DIRECT:TRANSFORMATION
    n <- raw.t1.b DIRECT:TRANSFORMATION
    n <- raw.t1.c DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:JOIN, INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    * <- raw.t1.c INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a", "c", F.col("b").alias("n"))
    for number in range(5):
        other = frame.where(f"c > {number}").select("a", F.col("n").alias("m"), "c")
        joined = frame.drop("c").join(other, "a").where(f"n < {10 + number}")
        computed = F.col("n") + F.col("m") * F.col("a") + F.col("c")
        frame = joined.select("a", "c", computed.alias("n")).localCheckpoint()
    save(frame.select("a", "n"), "a_loop_of_checkpoints")


def union_by_name(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    a <- raw.t3.a DIRECT:IDENTITY
    b <- raw.t1.b DIRECT:IDENTITY
    b <- raw.t3.b DIRECT:IDENTITY
    c <- raw.t1.c DIRECT:IDENTITY
    d <- raw.t3.d DIRECT:IDENTITY
    """
    frame = spark.table("raw.t1").unionByName(spark.table("raw.t3"), allowMissingColumns=True)
    save(frame, "union_by_name")


def struct_members_updated(spark: SparkSession) -> None:
    """
    y <- raw.nested.s DIRECT:TRANSFORMATION
    z <- raw.nested.k DIRECT:IDENTITY
    """
    changed = F.col("s").withField("z", F.col("k")).dropFields("x")
    frame = spark.table("raw.nested").select(changed.alias("q"))
    save(frame.select("q.y", "q.z"), "struct_members")


def files(spark: SparkSession) -> None:
    """
    a <- /files/in.json.a DIRECT:IDENTITY
    n <- /files/in.json.b DIRECT:AGGREGATION masking
    * <- /files/in.json.a INDIRECT:GROUP_BY
    """
    spark.table("raw.t1").write.mode("overwrite").json(f"{ROOT}/files/in.json")
    frame = spark.read.schema("a int, b int").json(f"{ROOT}/files/in.json")
    frame.groupBy("a").agg(F.count("b").alias("n")).write.mode("overwrite").orc(
        f"{ROOT}/files/out.orc"
    )


def csv_and_text(spark: SparkSession) -> None:
    """
    value <- /files/in.csv.a DIRECT:TRANSFORMATION
    value <- /files/in.csv.b DIRECT:TRANSFORMATION
    """
    path = f"{ROOT}/files/in.csv"
    spark.table("raw.t1").write.mode("overwrite").csv(path, header=True)
    frame = spark.read.csv(path, header=True, inferSchema=True)
    line = F.concat_ws(",", "a", "b").alias("value")
    frame.select(line).write.mode("overwrite").text(f"{ROOT}/files/out.txt")


def several_paths(spark: SparkSession) -> None:
    """
    a <- /files/one.a DIRECT:IDENTITY
    a <- /files/two.a DIRECT:IDENTITY
    """
    for name in ("one", "two"):
        spark.table("raw.t1").write.mode("overwrite").parquet(f"{ROOT}/files/{name}")
    frame = spark.read.parquet(f"{ROOT}/files/one", f"{ROOT}/files/two")
    frame.select("a").write.mode("overwrite").parquet(f"{ROOT}/files/three")


def partitioned_files(spark: SparkSession) -> None:
    """
    a <- /files/days.a DIRECT:IDENTITY
    b <- /files/days.b DIRECT:IDENTITY
    """
    path = f"{ROOT}/files/days"
    spark.table("raw.t1").write.mode("overwrite").partitionBy("b").parquet(path)
    frame = spark.read.option("basePath", path).parquet(f"{path}/b=2")
    frame.select("a", "b").write.mode("overwrite").parquet(f"{ROOT}/files/day")


def insert_into(spark: SparkSession) -> None:
    """
    k <- raw.t1.a DIRECT:IDENTITY
    name <- raw.t3.d DIRECT:IDENTITY
    total <- raw.t1.c DIRECT:IDENTITY
    * <- raw.t1.a INDIRECT:JOIN
    * <- raw.t3.a INDIRECT:JOIN
    """
    frame = spark.table("raw.t1").alias("l").join(spark.table("raw.t3").alias("r"), "a")
    frame.select("a", "d", "c").write.insertInto("mart.wide")


def many_columns(spark: SparkSession) -> None:
    """
    c2 <- raw.t1.a DIRECT:TRANSFORMATION
    c2 <- raw.t1.b DIRECT:TRANSFORMATION
    """
    frame = spark.table("raw.t1").select("a", "b")
    for number in range(3):
        frame = frame.withColumn(f"c{number}", F.col("a") + F.col("b"))
    save(frame.select("c2"), "many_columns")


def map_in_arrow(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a")
    save(frame.mapInArrow(lambda batches: batches, "a int"), "map_in_arrow")


def python_udtf(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    x <- raw.t1.b DIRECT:TRANSFORMATION
    """

    class Twice:
        def eval(self, value: int):  # type: ignore[no-untyped-def]
            yield (value,)
            yield (value,)

    spark.udtf.register("twice", F.udtf(Twice, returnType="x int"))
    save(spark.sql("SELECT a, x FROM raw.t1, LATERAL twice(b)"), "python_udtf")


def rdd_round_trip(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a", "b")
    save(frame.rdd.map(lambda row: (row.a,)).toDF("x int"), "rdd_round_trip")


def an_rdd_of_objects(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    rows = spark.table("raw.t1").select("a", "b").rdd._jrdd.rdd()
    encoder = spark._jvm.org.apache.spark.sql.Encoders.BINARY()
    frame = DataFrame(spark._jsparkSession.createDataset(rows, encoder).toDF(), spark)  # rdd.toDF
    save(frame.select(F.hex("value").alias("x")), "an_rdd_of_objects")


def an_rdd_joined(spark: SparkSession) -> None:
    """
    d <- raw.t3.d DIRECT:IDENTITY
    * <- raw.t1.a INDIRECT:JOIN, INDIRECT:FILTER
    * <- raw.t3.a INDIRECT:JOIN
    """
    keys = spark.createDataFrame(spark.table("raw.t1").select("a").rdd, "a int")
    save(spark.table("raw.t3").join(keys, "a").select("d"), "an_rdd_joined")


def rdds_grouped_together(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    x <- raw.t3.a DIRECT:TRANSFORMATION
    x <- raw.t3.d DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    * <- raw.t3.a INDIRECT:FILTER
    * <- raw.t3.d INDIRECT:FILTER
    """
    left = spark.table("raw.t1").select("a", "b").rdd.map(lambda row: (row.a, row.b))
    right = spark.table("raw.t3").select("a", "d").rdd.map(lambda row: (row.a, row.d))
    save(left.cogroup(right).map(lambda pair: (pair[0],)).toDF("x int"), "rdds_grouped_together")


def an_rdd_of_a_broadcast_join(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t1.b DIRECT:TRANSFORMATION
    x <- raw.t3.a DIRECT:TRANSFORMATION
    x <- raw.t3.d DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    * <- raw.t3.a INDIRECT:FILTER
    * <- raw.t3.d INDIRECT:FILTER
    """
    other = F.broadcast(spark.table("raw.t3").select("a", "d"))
    joined = spark.table("raw.t1").join(other, "a").select("b", "d")
    save(joined.rdd.map(lambda row: (row.b,)).toDF("x int"), "an_rdd_of_a_broadcast_join")


def an_rdd_after_a_subquery(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:TRANSFORMATION
    x <- raw.t3.a DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t3.a INDIRECT:FILTER
    """
    rows = spark.sql("SELECT a FROM raw.t1 WHERE a < (SELECT max(a) FROM raw.t3)").rdd
    save(rows.map(lambda row: (1,)).toDF("x int"), "an_rdd_after_a_subquery")


def an_rdd_of_the_programs_rows_and_a_broadcast(spark: SparkSession) -> None:
    """
    x <- raw.t3.a DIRECT:TRANSFORMATION
    x <- raw.t3.d DIRECT:TRANSFORMATION
    * <- raw.t3.a INDIRECT:FILTER
    * <- raw.t3.d INDIRECT:FILTER
    """
    own = spark.createDataFrame([(1,), (2,)], "a int")
    joined = own.join(F.broadcast(spark.table("raw.t3")), "a").select("d")
    again = spark.createDataFrame(joined.rdd, "d string")  # through one RDD and a second
    save(again.rdd.map(lambda row: (row.d,)).toDF("x string"), "an_rdd_of_own_rows")


def an_rdd_of_the_programs_rows(spark: SparkSession) -> None:
    """
    x <-
    """
    own = spark.createDataFrame([(1,), (2,)], "a int")
    save(own.rdd.map(lambda row: (row.a,)).toDF("x int"), "an_rdd_of_rows")


def an_rdd_by_the_second_api(spark: SparkSession) -> None:
    """
    x <- mart.second.a DIRECT:TRANSFORMATION
    * <- mart.second.a INDIRECT:FILTER
    """
    save(spark.table("raw.t1"), "second")
    first = "spark.sql.sources.useV1SourceList"
    before = spark.conf.get(first)
    spark.conf.set(first, "")
    rows = (
        spark.read.parquet(f"{ROOT}/warehouse/mart.db/second")
        .select("a")
        .rdd.map(lambda row: (row.a,))
    )
    frame = rows.toDF("x int")
    spark.conf.set(first, str(before))
    save(frame, "an_rdd_by_the_second_api")


def rows_of_the_programs_own(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    n <-
    * <- raw.t1.b INDIRECT:JOIN
    """
    names = spark.createDataFrame([(2, "two")], "b int, n string")
    save(spark.table("raw.t1").join(names, "b").select("a", "n"), "own_rows")


def an_as_of_join(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    d <- raw.t3.d DIRECT:IDENTITY
    * <- raw.t1.a INDIRECT:JOIN
    * <- raw.t1.b INDIRECT:JOIN
    * <- raw.t3.a INDIRECT:JOIN
    * <- raw.t3.b INDIRECT:JOIN
    """
    left, right = spark.table("raw.t1"), spark.table("raw.t3")
    joined = left._joinAsOf(right, left.b, right.b, on=left.a == right.a)
    save(joined.select(left.a, "d"), "as_of")


def as_text(spark: SparkSession) -> None:
    """
    value <- raw.t1.a DIRECT:TRANSFORMATION
    value <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a", "b")
    save(DataFrame(frame._jdf.toJSON().toDF(), spark), "as_text")


def random_split(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    b <- raw.t1.b DIRECT:IDENTITY
    * <- raw.t1.c INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").where("c > 1").select("a", "b")
    part, _ = frame.randomSplit([0.5, 0.5], 7)
    save(part, "random_split")


def a_sample_of_what_the_user_sorted(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:SORT
    """
    save(spark.table("raw.t1").sortWithinPartitions("b").sample(0.5).select("a"), "sampled")


def missing_values(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
    b <- raw.t1.b DIRECT:IDENTITY
    c <- raw.t1.c DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:FILTER
    """
    save(spark.table("raw.t1").na.fill(0, ["a"]).na.drop(subset=["b"]), "na")


def replaced_values(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
    b <- raw.t1.b DIRECT:IDENTITY
    """
    save(spark.table("raw.t1").select("a", "b").replace(1, 2, ["a"]), "replaced")


def described(spark: SparkSession) -> None:
    """
    summary <-
    a <- raw.t1.a DIRECT:AGGREGATION, DIRECT:AGGREGATION masking
    """
    save(spark.table("raw.t1").select("a").describe(), "described")


def functions_of_functions(spark: SparkSession) -> None:
    """
    k <- raw.t1.a DIRECT:TRANSFORMATION
    s <- raw.t1.b DIRECT:AGGREGATION
    * <- raw.t1.a INDIRECT:SORT, INDIRECT:GROUP_BY, INDIRECT:JOIN
    * <- raw.t2.c INDIRECT:JOIN
    """
    f = F.udf(lambda x: x, "int")
    left, right = spark.table("raw.t1").alias("l"), spark.table("raw.t2").alias("r")
    joined = left.join(right, f(F.col("l.a")) == F.col("r.c"))
    grouped = joined.groupBy(f(f("l.a")).alias("k")).agg(F.sum(f("l.b")).alias("s"))
    save(grouped.orderBy(f("k")), "functions")


def sampled_by_a_column(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    * <- raw.t1.b INDIRECT:FILTER
    """
    save(spark.table("raw.t1").sampleBy("b", {1: 0.5}, 3).select("a"), "sb")


def views_and_caches(spark: SparkSession) -> None:
    """
    q <- raw.t1.a DIRECT:TRANSFORMATION
    s <- raw.t1.b INDIRECT:WINDOW
    s <- raw.t1.c DIRECT:AGGREGATION
    * <- raw.t1.a INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    spark.table("raw.t1").where("b > 1").createOrReplaceTempView("v1")
    statement = "SELECT a, sum(c) OVER (PARTITION BY b) AS s FROM v1"
    spark.sql(statement).createOrReplaceTempView("v2")
    spark.sql("CACHE TABLE v3 AS SELECT a + 1 AS q, s FROM v2")
    save(spark.sql("SELECT q, s FROM v3 WHERE q > 2"), "of_views")


def padded_columns_read(spark: SparkSession) -> None:
    """
    c <- mart.charred.c DIRECT:IDENTITY
    v <- mart.charred.v DIRECT:IDENTITY
    * <- mart.charred.c INDIRECT:FILTER
    """
    spark.sql("CREATE TABLE mart.charred (c CHAR(5), v VARCHAR(3), a INT) USING parquet")
    save(spark.table("mart.charred").where("c = 'x'").select("c", "v"), "of_charred")


def padded_columns_written(spark: SparkSession) -> None:
    """
    c <- raw.t3.d DIRECT:IDENTITY
    v <- raw.t3.d DIRECT:IDENTITY
    a <- raw.t3.a DIRECT:IDENTITY
    """
    spark.sql("CREATE TABLE mart.chars (c CHAR(5), v VARCHAR(3), a INT) USING parquet")
    spark.sql("INSERT INTO mart.chars SELECT d, d, a FROM raw.t3")


def places_of_rows(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    f <-
    file_path <-
    i <-
    """
    found = [F.input_file_name().alias("f"), "_metadata.file_path"]
    save(spark.table("raw.t1").select("a", *found, F.rand().alias("i")), "places")


def variables(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    v <-
    * <- raw.t1.a INDIRECT:FILTER
    """
    spark.sql("DECLARE OR REPLACE VARIABLE least INT DEFAULT 0")
    save(spark.sql("SELECT a, least AS v FROM raw.t1 WHERE a > least"), "variables")


def variables_set(spark: SparkSession) -> None:
    """
    v <- raw.t1.b DIRECT:TRANSFORMATION
    v <- raw.t2.a DIRECT:AGGREGATION
    v <- raw.t2.b INDIRECT:FILTER
    w <- raw.t3.a DIRECT:AGGREGATION
    p <- raw.t2.a DIRECT:AGGREGATION
    p <- raw.t2.b INDIRECT:FILTER
    d <-
    * <- raw.t1.c INDIRECT:FILTER
    * <- raw.t3.b INDIRECT:FILTER masking
    """
    spark.sql("DECLARE OR REPLACE VARIABLE best INT DEFAULT 0")
    spark.sql("DECLARE OR REPLACE VARIABLE some INT")
    spark.sql("DECLARE OR REPLACE VARIABLE number BIGINT")
    spark.sql("SET VARIABLE best = (SELECT min(b) FROM raw.t3)")
    spark.sql("SET VARIABLE best = (SELECT max(a) FROM raw.t2 WHERE b > 1)")
    spark.sql("DECLARE OR REPLACE VARIABLE plus INT DEFAULT best + 1")
    spark.sql("SET VARIABLE (some, number) = (SELECT min(a), count(b) FROM raw.t3)")
    spark.sql("DECLARE OR REPLACE VARIABLE dropped INT")
    spark.sql("SET VARIABLE dropped = (SELECT max(c) FROM raw.t1)")
    spark.sql("DECLARE OR REPLACE VARIABLE dropped INT DEFAULT 3")
    columns = "b * session.best AS v, SOME AS w, plus AS p, dropped AS d"
    save(spark.sql(f"SELECT {columns} FROM raw.t1 WHERE c < number"), "variables_set")


def variables_of_a_script(spark: SparkSession) -> None:
    """
    v <- raw.t1.a DIRECT:TRANSFORMATION
    v <- raw.t2.b DIRECT:AGGREGATION
    """
    spark.conf.set("spark.sql.scripting.enabled", "true")
    spark.sql(
        "BEGIN DECLARE best INT; SET best = (SELECT max(b) FROM raw.t2);"
        " CREATE TABLE mart.of_a_script AS SELECT a * best AS v FROM raw.t1; END"
    )


def rows_that_a_script_goes_through(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:IDENTITY
    x <- raw.t1.c INDIRECT:FILTER
    y <- raw.t1.a INDIRECT:FILTER
    y <- raw.t1.b DIRECT:TRANSFORMATION
    y <- raw.t1.c INDIRECT:FILTER
    y <- raw.t2.a INDIRECT:FILTER
    y <- raw.t2.c DIRECT:TRANSFORMATION
    z <-
    """
    spark.conf.set("spark.sql.scripting.enabled", "true")
    spark.sql("CREATE TABLE mart.looped (x INT, y INT, z INT) USING parquet")
    spark.sql(
        "BEGIN FOR r AS SELECT a, b FROM raw.t1 WHERE c > 0 DO"
        " FOR s AS SELECT c AS other FROM raw.t2 WHERE a = r.a DO"
        " BEGIN DECLARE n INT; SET n = 3; INSERT INTO mart.looped SELECT r.a, b + other, n; END;"
        " END FOR; END FOR; END"
    )


def casts_beside_a_union(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION
    a <- raw.t2.a DIRECT:TRANSFORMATION
    a <- raw.t3.a DIRECT:TRANSFORMATION
    a <- raw.orders.cid DIRECT:IDENTITY
    a <- raw.orders.id DIRECT:IDENTITY
    """
    orders = spark.table("raw.orders")
    called = spark.table("raw.t1").select(F.call_function("bigint", F.col("a")).alias("a"))
    written = spark.table("raw.t2").selectExpr("bigint(a) AS a")
    cast = spark.table("raw.t3").select(F.col("a").cast("bigint").alias("a"))
    own = orders.select(F.col("cid").alias("a")).union(orders.select("id"))
    save(called.union(written).union(cast).union(own), "casts_beside_a_union")


def transposed(spark: SparkSession) -> None:
    """
    key <-
    1 <-
    """
    save(spark.table("raw.t1").transpose(), "transposed")


def functions_in_sql(spark: SparkSession) -> None:
    """
    p <- raw.t1.a DIRECT:TRANSFORMATION
    p <- raw.t1.b DIRECT:TRANSFORMATION
    m <- raw.t1.a INDIRECT:FILTER
    m <- raw.t2.a INDIRECT:FILTER
    m <- raw.t2.c DIRECT:AGGREGATION
    z <- raw.t2.b DIRECT:IDENTITY
    * <- raw.t1.c INDIRECT:FILTER
    * <- raw.t2.a INDIRECT:FILTER
    """
    make = "CREATE OR REPLACE TEMPORARY FUNCTION"
    spark.sql(f"{make} plus(x INT, y INT) RETURNS INT RETURN x + y")
    best = "SELECT max(c) FROM raw.t2 WHERE t2.a = k"
    spark.sql(f"{make} best(k INT) RETURNS INT RETURN ({best})")
    rows = "SELECT b FROM raw.t2 WHERE t2.a = k"
    spark.sql(f"{make} rows_of(k INT) RETURNS TABLE(z INT) RETURN {rows}")
    statement = "SELECT plus(a, b) AS p, best(a) AS m, z FROM raw.t1, LATERAL rows_of(raw.t1.c)"
    save(spark.sql(statement), "functions_in_sql")


def joined_with_its_own_groups(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    c <- raw.t1.c DIRECT:IDENTITY
    * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:JOIN
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1")
    most = frame.groupBy("a").agg(F.max("b").alias("most"))
    joined = frame.join(most, ["a"]).where(F.col("b") == F.col("most"))
    save(joined.select("a", "c"), "joined_with_groups")


def observed(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:IDENTITY
    """
    from pyspark.sql import Observation

    frame = spark.table("raw.t1").observe(Observation("o"), F.max("b").alias("m"))
    save(frame.select("a").hint("broadcast").coalesce(1), "observed")


def a_view_read(spark: SparkSession) -> None:
    """
    name <- raw.customers.name DIRECT:IDENTITY
    * <- raw.customers.id INDIRECT:FILTER
    """
    spark.sql("CREATE OR REPLACE VIEW mart.plain AS SELECT id, name FROM raw.customers")
    save(spark.sql("SELECT name FROM mart.plain WHERE id > 0"), "of_a_view")


def apply_in_arrow(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION
    a <- raw.t1.b DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("a", "b").groupBy("a")
    save(frame.applyInArrow(lambda table: table.select(["a"]), "a int"), "apply_in_arrow")


def cogroup_in_arrow(spark: SparkSession) -> None:
    """
    a <- raw.t1.a DIRECT:TRANSFORMATION
    a <- raw.t1.b DIRECT:TRANSFORMATION
    a <- raw.t2.a DIRECT:TRANSFORMATION
    * <- raw.t1.a INDIRECT:GROUP_BY, INDIRECT:FILTER
    * <- raw.t2.a INDIRECT:GROUP_BY, INDIRECT:FILTER
    * <- raw.t1.b INDIRECT:FILTER
    """
    left = spark.table("raw.t1").select("a", "b").groupBy("a")
    right = spark.table("raw.t2").select("a").groupBy("a")
    both = left.cogroup(right).applyInArrow(lambda one, _: one.select(["a"]), "a int")
    save(both, "cogroup_in_arrow")


def pandas_on_spark(spark: SparkSession) -> None:
    """
    c <- raw.t1.c DIRECT:IDENTITY
    z <- raw.t1.a DIRECT:AGGREGATION
    z <- raw.t1.b DIRECT:AGGREGATION
    * <- raw.t1.c INDIRECT:GROUP_BY, INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").pandas_api()
    frame["z"] = frame["a"] + frame["b"]
    save(frame.groupby("c").agg({"z": "sum"}).reset_index().to_spark(), "pandas_on_spark")


def a_struct_of_a_function(spark: SparkSession) -> None:
    """
    x <- raw.nested.s DIRECT:TRANSFORMATION
    """
    same = F.udf(lambda value: value, "x int, y string")
    save(spark.table("raw.nested").select(same("s").alias("o")).select("o.x"), "struct_of_udf")


def save_as_table_appended(spark: SparkSession) -> None:
    """
    a <- raw.t1.b DIRECT:IDENTITY
    b <- raw.t1.a DIRECT:IDENTITY
    """
    save(spark.table("raw.t1").select("a", "b"), "appended")
    swapped = spark.table("raw.t1").select(F.col("b").alias("a"), F.col("a").alias("b"))
    swapped.write.mode("append").saveAsTable("mart.appended")


def read_and_overwritten(spark: SparkSession) -> None:
    """
    a <- mart.overwritten.a DIRECT:TRANSFORMATION
    """
    save(spark.table("raw.t1").select("a"), "overwritten")
    twice = spark.table("mart.overwritten").select((F.col("a") * 2).alias("a")).localCheckpoint()
    twice.write.mode("overwrite").insertInto("mart.overwritten")


def files_by_the_second_api(spark: SparkSession) -> None:
    """
    a <- /files/second.a DIRECT:IDENTITY
    """
    spark.table("raw.t1").select("a").write.mode("overwrite").parquet(f"{ROOT}/files/second")
    spark.conf.set("spark.sql.sources.useV1SourceList", "")
    frame = spark.read.parquet(f"{ROOT}/files/second")
    frame.write.mode("overwrite").parquet(f"{ROOT}/files/second_copy")
    spark.conf.unset("spark.sql.sources.useV1SourceList")


def wide(spark: SparkSession) -> None:
    """
    first <- raw.t1.a DIRECT:TRANSFORMATION
    last <- raw.t1.a DIRECT:IDENTITY
    * <- raw.t1.c INDIRECT:FILTER
    """
    frame = spark.table("raw.t1").select("c", *[F.col("a").alias(f"c{n}") for n in range(250)])
    for number in range(5):
        frame = frame.withColumn(f"c{number}", F.col(f"c{number}") + 1)
    frame = frame.where("c > 1")
    frame.select("*").write.mode("overwrite").parquet(f"{ROOT}/files/wide")
    save(spark.read.parquet(f"{ROOT}/files/wide").select("c0"), "narrow")
    frame.selectExpr("c0 AS first", "c9 AS last").write.mode("overwrite").saveAsTable("mart.wide2")


def rows_of_variables(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:AGGREGATION
    x <- raw.t1.b INDIRECT:FILTER
    y <- raw.t1.a DIRECT:AGGREGATION
    y <- raw.t1.b INDIRECT:FILTER
    y <- raw.t2.c DIRECT:AGGREGATION, INDIRECT:CONDITIONAL
    z <-
    """
    spark.sql("DECLARE OR REPLACE VARIABLE top INT")
    spark.sql("DECLARE OR REPLACE VARIABLE pair STRUCT<p: INT, q: INT>")
    spark.sql("SET VARIABLE top = (SELECT max(a) FROM raw.t1 WHERE b > 1)")
    spark.sql("SET VARIABLE pair = (SELECT named_struct('p', min(c), 'q', 0) FROM raw.t2)")
    spark.sql("CREATE TABLE mart.of_variables (x INT, y INT, z INT) USING parquet")
    spark.sql(
        "INSERT INTO mart.of_variables"
        " VALUES (1, coalesce(pair.p, 1), 3), (session.top, TOP + 1, DEFAULT)"
    )


def rows_of_variables_read(spark: SparkSession) -> None:
    """
    l <- raw.t1.a DIRECT:AGGREGATION
    k <- raw.t1.a DIRECT:AGGREGATION
    s <- raw.t1.a DIRECT:AGGREGATION
    d <-
    * <- raw.t1.a INDIRECT:JOIN
    """
    spark.sql("DECLARE OR REPLACE VARIABLE top INT")
    spark.sql("SET VARIABLE top = (SELECT max(a) FROM raw.t1)")
    rows = spark.sql("SELECT * FROM VALUES (top, 1), (2, top) AS t(k, l)")
    used = rows.alias("x").join(rows.alias("y"), "k").selectExpr("x.l", "y.k")
    used.createOrReplaceTempView("used")
    today = spark.sql("SELECT *, (SELECT s FROM VALUES (top) AS t(s)) AS s FROM used")
    save(today.join(spark.sql("VALUES (current_date()) AS t(d)")), "rows_of_variables_read")


def rows_of_variables_and_parameters(spark: SparkSession) -> None:
    """
    k <- raw.t1.a DIRECT:AGGREGATION
    l <- raw.t1.a DIRECT:AGGREGATION
    d <- raw.t1.a DIRECT:AGGREGATION
    """
    spark.sql("DECLARE OR REPLACE VARIABLE top INT")
    spark.sql("SET VARIABLE top = (SELECT max(a) FROM raw.t1)")
    rows = spark.sql(
        "SELECT *, current_date() AS today FROM VALUES (top, :p) AS t(k, l)", {"p": 30}
    )
    dated = spark.sql("VALUES (top, current_date()) AS t(d, today)")
    save(rows.join(dated, "today").select("k", "l", "d"), "rows_of_variables_and_parameters")


def rows_of_a_scripts_variables(spark: SparkSession) -> None:
    """
    x <- raw.t1.a DIRECT:IDENTITY
    y <- raw.t2.b DIRECT:AGGREGATION
    """
    spark.conf.set("spark.sql.scripting.enabled", "true")
    spark.sql("CREATE TABLE mart.of_a_script_s_rows (x INT, y INT) USING parquet")
    spark.sql(
        "BEGIN whole: BEGIN DECLARE best INT; SET best = (SELECT max(b) FROM raw.t2);"
        " FOR r AS SELECT a FROM raw.t1 DO"
        " INSERT INTO mart.of_a_script_s_rows VALUES (r.a, whole.best); END FOR;"
        " END; END"
    )


ROOT = ""  # the folder of the run, set by whoever runs the cases

JOBS = [
    python_udf,
    pandas_udf,
    map_in_pandas,
    apply_in_pandas,
    cogroup,
    drop_duplicates,
    I7_files_to_files,
    I12_a_cache_of_a_cache,
    M1_a_cached_outer_join_with_the_same_names,
    cached_and_joined_with_itself,
    statistics_of_vectors,
    local_checkpoint,
    lazy_and_reliable_checkpoints,
    a_relation_beside_its_checkpoint,
    a_view_of_what_was_checkpointed,
    a_checkpoint_and_its_relation_with_the_same_columns,
    one_of_two_checkpoints_of_the_same_columns,
    two_checkpoints_of_the_same_columns,
    checkpointed_twice,
    a_checkpoint_united_with_itself,
    a_checkpoint_joined_with_itself,
    a_checkpoint_of_a_checkpoint,
    a_loop_of_checkpoints,
    union_by_name,
    struct_members_updated,
    files,
    csv_and_text,
    several_paths,
    partitioned_files,
    insert_into,
    many_columns,
    map_in_arrow,
    python_udtf,
    rdd_round_trip,
    an_rdd_of_objects,
    an_rdd_of_a_broadcast_join,
    an_rdd_after_a_subquery,
    an_rdd_of_the_programs_rows_and_a_broadcast,
    an_rdd_of_the_programs_rows,
    an_rdd_joined,
    rdds_grouped_together,
    an_rdd_by_the_second_api,
    rows_of_the_programs_own,
    an_as_of_join,
    as_text,
    random_split,
    a_sample_of_what_the_user_sorted,
    missing_values,
    replaced_values,
    described,
    functions_of_functions,
    sampled_by_a_column,
    views_and_caches,
    padded_columns_read,
    padded_columns_written,
    places_of_rows,
    variables,
    variables_set,
    rows_of_variables,
    rows_of_variables_read,
    rows_of_variables_and_parameters,
    rows_of_a_scripts_variables,
    variables_of_a_script,
    rows_that_a_script_goes_through,
    transposed,
    casts_beside_a_union,
    functions_in_sql,
    joined_with_its_own_groups,
    observed,
    a_view_read,
    apply_in_arrow,
    cogroup_in_arrow,
    pandas_on_spark,
    a_struct_of_a_function,
    save_as_table_appended,
    read_and_overwritten,
    files_by_the_second_api,
    wide,
]
