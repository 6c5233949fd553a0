-- Each row stands for many: the median and p99 of a histogram, from values and their counts.
-- Run me: chronosketch sql examples/counted_values.sql

SELECT approx_quantile(size_bytes, array(0.5, 0.99), frequency => files) AS p50_p99,
       approx_quantile_bounds(size_bytes, 0.99, frequency => files) AS bounds
FROM VALUES (512, 900000), (4096, 1200000), (65536, 40000), (1048576, 300) AS sizes(size_bytes, files);
