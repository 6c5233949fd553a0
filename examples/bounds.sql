-- How wrong can an answer be? Run me: chronosketch sql examples/bounds.sql

CREATE OR REPLACE TEMP VIEW requests AS
SELECT concat('web-', id % 3) AS host, exp(randn(7)) * 20 AS latency_ms FROM range(200000);

-- ε is 0.01 here, so that you can see the bounds apart. The exact answer always lies within them.
-- For the p99 of latencies add tail => 'high': the bounds are then a hundred times as close.
SELECT host,
       approx_quantile(latency_ms, 0.99, epsilon => 0.01) AS p99,
       approx_quantile_bounds(latency_ms, 0.99, epsilon => 0.01) AS bounds,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS exact
FROM requests
GROUP BY host
ORDER BY host;

-- What a sketch certifies for itself is at most the ε that it was built with; often it is less.
SELECT host, sketch_rank_error(quantile_sketch_agg(latency_ms, epsilon => 0.01)) AS certified
FROM requests
GROUP BY host
ORDER BY host;
