-- The last ten minutes, every minute: each request is touched once, not copied into ten windows.
-- Run me: chronosketch sql examples/hopping.sql

CREATE OR REPLACE TEMP VIEW hopping_requests AS
SELECT concat('web-', id % 3) AS host, timestamp_seconds(1767225600 + id DIV 10) AS ts, exp(randn(7)) * 20 AS latency_ms
FROM range(60000);

SELECT host,
       window.start AS `from`,
       window.end AS until,
       n,
       q[0] AS p50,
       q[1] AS p99,
       sketch_quantile_bounds(s, 0.99) AS bounds
FROM hopping(
  TABLE(hopping_requests),
  event_time => 'ts',
  size => '10 minutes',
  slide => '1 minute',
  by => array('host'),
  aggs => array(
    'approx_quantile(latency_ms, array(0.5, 0.99)) AS q',
    "quantile_sketch_agg(latency_ms, 0.01, tail => 'high') AS s",
    'count(*) AS n'))
ORDER BY host, `from`;

-- The same with Spark's own GROUP BY, if the session has the setting on. EXPLAIN shows SketchHopping then.
SET spark.chronosketch.hopping.rewrite = true;

SELECT host, window.start AS `from`, approx_quantile(latency_ms, array(0.5, 0.99)) AS q, count(*) AS n
FROM hopping_requests
GROUP BY host, window(ts, '10 minutes', '1 minute')
ORDER BY host, `from`;

RESET spark.chronosketch.hopping.rewrite;
