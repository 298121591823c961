"""Programs of RDDs as data engineers write them, each beside its lineage.

Each function makes a frame of the frames `orders` and `customers`, by PySpark or by a list.
"""

from __future__ import annotations

import json
from operator import add, itemgetter
from typing import Any

from pyspark.sql import Row
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

CITIES = {"oslo": 0.1, "rome": 0.2}


def parse(note: str) -> dict[str, str]:
    """The parts of `sku=b;size=3`."""
    return dict(part.split("=", 1) for part in note.split(";") if "=" in part)


def parsed(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    sku <- orders.note
    size <- orders.note
    """
    rows = orders.rdd.map(lambda r: (r.id, parse(r.note)))
    return rows.map(lambda p: (p[0], p[1].get("sku"), int(p[1]["size"]))).toDF(
        "id long, sku string, size long"
    )


def word_count(orders: Any, customers: Any) -> Any:
    """
    word <- orders.note
    number <-
    * <- orders.note
    """
    words = orders.rdd.flatMap(lambda row: row.note.split(";"))
    return (
        words.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b).toDF(["word", "number"])
    )


def averages(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    mean <- orders.amount
    * <- orders.customer
    """
    pairs = orders.rdd.map(lambda r: (r.customer, (r.amount, 1)))
    sums = pairs.reduceByKey(lambda a, b: (a[0] + b[0], a[1] + b[1]))
    return sums.mapValues(lambda s: s[0] / s[1]).toDF(["customer", "mean"])


def combined(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    mean <- orders.amount
    * <- orders.customer
    """
    pairs = orders.rdd.map(lambda r: (r.customer, r.amount))
    sums = pairs.combineByKey(
        lambda v: (v, 1), lambda s, v: (s[0] + v, s[1] + 1), lambda s, t: (s[0] + t[0], s[1] + t[1])
    )
    return sums.map(lambda p: (p[0], p[1][0] / p[1][1])).toDF(["customer", "mean"])


def aggregated(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    most <- orders.amount
    number <- orders.quantity
    * <- orders.customer
    """
    pairs = orders.rdd.map(lambda r: (r.customer, (r.amount, r.quantity)))
    zero = (0.0, 0)
    sums = pairs.aggregateByKey(
        zero,
        lambda s, v: (max(s[0], v[0]), s[1] + v[1]),
        lambda s, t: (max(s[0], t[0]), s[1] + t[1]),
    )
    return sums.map(lambda p: (p[0], p[1][0], p[1][1])).toDF(["customer", "most", "number"])


def folded(orders: Any, customers: Any) -> Any:
    """
    day = orders.day
    total <- orders.quantity
    * <- orders.day
    """
    return orders.rdd.map(lambda r: (r.day, r.quantity)).foldByKey(0, add).toDF(["day", "total"])


def largest_two(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    id = orders.id | orders.amount
    amount = orders.amount
    * <- orders.customer, orders.amount
    """
    groups = orders.rdd.map(lambda r: (r.customer, (r.id, r.amount))).groupByKey()
    kept = groups.flatMap(
        lambda g: [(g[0], *pair) for pair in sorted(g[1], key=lambda v: -v[1])[:2]]
    )
    return kept.toDF(["customer", "id", "amount"])


def latest(orders: Any, customers: Any) -> Any:
    """
    id <- orders.id | orders.day
    customer <- orders.customer | orders.day
    day <- orders.day
    * <- orders.customer
    """
    newest = orders.rdd.keyBy(lambda r: r.customer).reduceByKey(
        lambda a, b: a if a.day >= b.day else b
    )
    return newest.values().map(lambda r: Row(id=r.id, customer=r.customer, day=r.day)).toDF()


def enriched(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    city = customers.city
    total <- orders.amount, orders.quantity
    * <- orders.customer, customers.customer
    """
    left = orders.rdd.map(lambda r: (r.customer, r))
    right = customers.rdd.map(lambda r: (r.customer, r.city))
    joined = left.join(right).map(lambda p: p[1])
    return joined.map(
        lambda p: Row(id=p[0].id, city=p[1], total=p[0].amount * p[0].quantity)
    ).toDF()


def with_default(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    city <- customers.city
    * <- orders.customer, customers.customer
    """
    left = orders.rdd.map(lambda r: (r["customer"], r["id"]))
    right = customers.rdd.map(lambda r: (r["customer"], r["city"]))
    joined = left.leftOuterJoin(right)
    return joined.map(lambda p: (p[1][0], p[1][1] or "none")).toDF("id long, city string")


def numbered(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    place <- | orders.quantity
    * <- orders.quantity
    """
    large = orders.rdd.filter(lambda r: r.quantity > 1)
    return large.zipWithIndex().map(lambda p: (p[0].id, p[1])).toDF(["id", "place"])


def ranked(orders: Any, customers: Any) -> Any:
    """
    place <- | orders.amount
    id = orders.id
    amount = orders.amount
    * <- orders.amount
    """
    ordered = orders.rdd.sortBy(lambda r: r.amount, ascending=False).zipWithIndex()
    return ordered.map(lambda p: (p[1] + 1, p[0].id, p[0].amount)).toDF(["place", "id", "amount"])


def distinct_pairs(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    day = orders.day
    * <- orders.customer, orders.day
    """
    return orders.rdd.map(lambda r: (r.customer, r.day)).distinct().toDF(["customer", "day"])


def one_below_the_other(orders: Any, customers: Any) -> Any:
    """
    customer <- orders.customer, customers.customer
    text <- orders.note, customers.name
    """
    first = orders.rdd.map(lambda r: (r.customer, r.note))
    return first.union(customers.rdd.map(lambda r: (r[0], r[2]))).toDF(["customer", "text"])


def running(partition: Any) -> Any:
    """The sum so far, in each partition."""
    total = 0.0
    for row in partition:
        total += row.amount
        yield row.id, total


def running_totals(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    total <- orders.amount
    """
    return orders.rdd.coalesce(1).mapPartitions(running).toDF(["id", "total"])


def with_total(row: Any) -> Row:
    """A row with one column more."""
    fields = row.asDict()
    fields["total"] = fields["amount"] * fields.pop("quantity")
    return Row(**fields)


def one_column_more(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    customer = orders.customer
    amount = orders.amount
    day = orders.day
    note = orders.note
    total <- orders.amount, orders.quantity
    """
    return orders.rdd.map(with_total).toDF()


def sessions(days: Any) -> Any:
    """Numbers of days that follow each other, with how many."""
    number, last, size = 0, None, 0
    for day in sorted(days):
        if last is not None and int(day[-2:]) - int(last[-2:]) > 2:
            yield number, size
            number, size = number + 1, 0
        last, size = day, size + 1
    yield number, size


def sessionised(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    session <- | orders.day, orders.customer
    size <- | orders.day, orders.customer
    * <- orders.customer, orders.day
    """
    days = orders.rdd.map(lambda r: (r.customer, r.day)).groupByKey()
    rows = days.flatMapValues(lambda d: list(sessions(d)))
    return rows.map(lambda p: (p[0], p[1][0], p[1][1])).toDF(["customer", "session", "size"])


def grouped(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    number <- | orders.customer
    total <- orders.amount | orders.customer
    * <- orders.customer
    """
    groups = orders.rdd.groupBy(lambda r: r.customer)
    rows = groups.map(lambda g: (g[0], len(g[1]), sum(r.amount for r in g[1])))
    return rows.toDF(["customer", "number", "total"])


def cogrouped(orders: Any, customers: Any) -> Any:
    """
    customer <- orders.customer, customers.customer
    total <- orders.amount | orders.customer, customers.customer
    cities <- | orders.customer, customers.customer
    * <- orders.customer, customers.customer
    """
    left = orders.rdd.map(lambda r: (r.customer, r.amount))
    right = customers.rdd.map(lambda r: (r.customer, r.city))
    rows = left.cogroup(right).map(lambda g: (g[0], float(sum(g[1][0])), len(list(g[1][1]))))
    return rows.toDF(["customer", "total", "cities"])


def exploded(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    part <- orders.note
    * <- orders.note
    """
    pairs = orders.rdd.map(lambda r: (r.id, r.note))
    return pairs.flatMapValues(lambda note: note.split(";")).toDF(["id", "part"])


def by_partition(orders: Any, customers: Any) -> Any:
    """
    part <-
    id = orders.id
    """

    def tagged(number: int, rows: Any) -> Any:
        return ((number, row.id) for row in rows)

    return orders.rdd.mapPartitionsWithIndex(tagged).toDF(["part", "id"])


def without_known(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    amount = orders.amount
    * <- orders.customer, customers.customer
    """
    pairs = orders.rdd.map(lambda r: (r.customer, r.amount))
    known = customers.rdd.filter(lambda r: r.customer > 1).map(lambda r: (r.customer, 1))
    return pairs.subtractByKey(known).toDF(["customer", "amount"])


def from_json(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    size <- orders.note
    * <- orders.note
    """
    texts = orders.rdd.map(lambda r: (r.id, json.dumps(parse(r.note))))
    sizes = texts.mapValues(json.loads).mapValues(lambda d: int(d.get("size", 0)))
    return sizes.filter(lambda p: p[1] > 0).toDF(["id", "size"])


def with_schema(orders: Any, customers: Any) -> Any:
    """
    day = orders.day
    rate <- | customers.city
    total <- orders.amount
    * <- orders.customer, customers.customer
    """
    schema = StructType(
        [
            StructField("day", StringType()),
            StructField("rate", DoubleType()),
            StructField("total", DoubleType()),
        ]
    )
    pairs = orders.rdd.keyBy(lambda r: r.customer).join(customers.rdd.keyBy(lambda r: r.customer))
    rows = pairs.values().map(
        lambda p: (p[0].day, CITIES.get(p[1].city, 0.0), round(p[0].amount * 1.2, 2))
    )
    return orders.sparkSession.createDataFrame(rows, schema)


def cached(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    share <- orders.amount
    * <- orders.customer
    """
    pairs = orders.rdd.map(lambda r: (r.customer, r.amount)).cache()
    totals = pairs.reduceByKey(add)
    rows = pairs.join(totals).mapValues(lambda v: v[0] / v[1])
    return rows.toDF(["customer", "share"])


def crossed(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    name = customers.name
    """
    pairs = orders.rdd.map(lambda r: r.id).cartesian(customers.rdd.map(lambda r: r.name))
    return pairs.toDF(["id", "name"])


def placed(orders: Any, customers: Any) -> Any:
    """
    last <- orders.id | orders.customer
    total <- orders.amount | orders.customer
    * <- orders.customer, orders.id
    """

    def summed(rows: Any) -> Any:
        last, total = None, 0.0
        for _, row in rows:
            last, total = row.id, total + row.amount
        if last is not None:
            yield last, total

    pairs = orders.rdd.keyBy(lambda r: r.customer).partitionBy(2)
    return pairs.mapPartitions(summed).toDF(["last", "total"])


def largest_of_key(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    id <- orders.id | orders.amount
    amount <- orders.amount
    * <- orders.customer
    """
    pairs = orders.rdd.map(lambda r: (r.customer, (r.id, r.amount)))
    largest = pairs.reduceByKey(lambda a, b: max(a, b, key=lambda t: t[1]))
    return largest.map(lambda p: (p[0],) + p[1]).toDF(["customer", "id", "amount"])


def in_order(orders: Any, customers: Any) -> Any:
    """
    customer = orders.customer
    days <- orders.day | orders.customer
    * <- orders.customer
    """
    groups = orders.rdd.map(itemgetter(1, 4)).groupByKey()
    rows = groups.mapValues(lambda days: ",".join(sorted(set(days)))).sortByKey()
    return rows.toDF(["customer", "days"])


def parts_of(row: Any, least: int) -> Any:
    """The parts of a row's note, if there are many pieces."""
    if row.quantity > least:
        for part in row.note.split(";"):
            yield row.id, part


def exploded_with_an_argument(orders: Any, customers: Any) -> Any:
    """
    id = orders.id
    part <- orders.note
    * <- orders.note, orders.quantity
    """
    return orders.rdd.flatMap(lambda row: parts_of(row, 1)).toDF(["id", "part"])
