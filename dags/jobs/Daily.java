package lesson;

import org.apache.spark.sql.SparkSession;

/** Paid orders by day, as daily.py: a job like any other. */
public class Daily {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    spark.read().option("header", true).csv(args[0]).createOrReplaceTempView("orders");
    spark.sql(
            "SELECT day, sum(amount) AS total, count(id) AS orders"
                + " FROM orders WHERE state = 'paid' GROUP BY day")
        .write()
        .mode("overwrite")
        .parquet(args[1]);
    spark.stop();
  }
}
