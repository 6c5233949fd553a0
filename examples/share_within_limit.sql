-- Which share of the requests met their limit? A lower and an upper bound that always contain the exact share.
-- Run me: chronosketch sql examples/share_within_limit.sql

CREATE OR REPLACE TEMP VIEW sketches AS
SELECT host, quantile_sketch_agg(latency_ms, 0.01, tail => 'high') AS s
FROM (SELECT concat('web-', id % 3) AS host, exp(randn(7)) * 20 AS latency_ms FROM range(200000))
GROUP BY host;

SELECT host,
       sketch_cdf(s, array(50D, 100D, 200D)) AS shares_within_50_100_200_ms,
       sketch_cdf_bounds(s, 100D).low AS at_least_within_100_ms,
       sketch_cdf_bounds(s, 100D).high AS at_most_within_100_ms
FROM sketches
ORDER BY host;
