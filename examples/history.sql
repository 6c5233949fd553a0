-- What was open on any day? One sketch for each region has the amounts of orders, each from its opening until its closing.
-- Run me: chronosketch sql examples/history.sql

CREATE OR REPLACE TEMP VIEW orders AS
SELECT concat('region-', id % 3) AS region,
       exp(randn(7)) * 100 AS amount,
       date_add(DATE'2026-01-01', CAST(id % 365 AS INT)) AS opened,
       IF(id % 10 = 0, NULL, date_add(DATE'2026-01-01', CAST(id % 365 + pmod(id * 31, 90) AS INT))) AS closed
FROM range(200000);

CREATE OR REPLACE TEMP VIEW histories AS
SELECT region, history_sketch_agg(amount, opened, epsilon => 0.02, until => closed) AS s
FROM orders
GROUP BY region;

-- The first of each month: a calendar, joined with the histories.
SELECT region,
       day,
       sketch_count_bounds(sketch_at_version(s, day)) AS n,
       sketch_quantile(sketch_at_version(s, day), 0.99) AS p99,
       sketch_quantile_bounds(sketch_at_version(s, day), 0.99) AS bounds,
       sketch_rank_error(sketch_at_version(s, day)) AS certified
FROM histories
CROSS JOIN (SELECT explode(sequence(DATE'2026-01-01', DATE'2026-12-01', INTERVAL 1 MONTH)) AS day)
ORDER BY region, day;

-- How many more small orders were open at the end of March than at its beginning? With a lower and an upper bound that always hold.
SELECT region,
       sketch_rank(after, 50) - sketch_rank(before, 50) AS more,
       sketch_rank_bounds(after, 50).low - sketch_rank_bounds(before, 50).high AS at_least,
       sketch_rank_bounds(after, 50).high - sketch_rank_bounds(before, 50).low AS at_most
FROM (SELECT region,
             sketch_at_version(s, DATE'2026-03-01') AS before,
             sketch_at_version(s, DATE'2026-04-01') AS after
      FROM histories)
ORDER BY region;
