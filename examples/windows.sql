-- Any window that ends at the newest row, from one sketch for each host: the last minutes, the last rows, the errors of the last hours.
-- Run me: chronosketch sql examples/windows.sql

CREATE OR REPLACE TEMP VIEW requests AS
SELECT concat('web-', id % 3) AS host,
       timestamp_seconds(1767225600 + id) AS ts,
       exp(randn(7)) * 20 AS latency_ms,
       IF(id % 50 < 3, 503, 200) AS status
FROM range(200000);

CREATE OR REPLACE TEMP VIEW summaries AS
SELECT host, window_sketch_agg(latency_ms, ts, epsilon => 0.02, filters => map('errors', status >= 500)) AS s
FROM requests
GROUP BY host;

-- The windows are chosen now, and each answer has bounds of its own.
SELECT host,
       asked,
       sketch_count_bounds(w) AS n,
       sketch_quantile(w, 0.9) AS p90,
       sketch_quantile_bounds(w, 0.9) AS bounds,
       sketch_rank_error(w) AS certified
FROM summaries
LATERAL VIEW explode(map(
  '10 minutes', sketch_window(s, '10 minutes'),
  '1 day', sketch_window(s, '1 day'),
  '5 000 requests', sketch_window(s, among_last(5000)),
  'errors of 6 hours', sketch_window(s, within_last('6 hours') AND passing('errors')),
  'errors of 6 hours, or the last 100', sketch_window(s, within_last('6 hours') AND passing('errors') OR among_last(100)))) windows AS asked, w
ORDER BY host, asked;
