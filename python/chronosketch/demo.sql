-- Departure delay by carrier, at the default ε of 0.0001
CREATE OR REPLACE TEMP VIEW flights USING parquet OPTIONS (path '{folder}/flights.parquet');

SELECT carrier,
       count(dep_delay) AS n,
       array(0.5, 0.9, 0.99) AS phis,
       approx_quantile(dep_delay, array(0.5, 0.9, 0.99)) AS answers,
       approx_quantile_bounds(dep_delay, array(0.5, 0.9, 0.99)) AS bounds,
       sketch_rank_error(quantile_sketch_agg(dep_delay, epsilon => 1e-4)) AS certified
FROM flights
GROUP BY carrier
ORDER BY n DESC;

-- Air speed by carrier, at ε = 0.01: with many values, low and high differ
SELECT carrier,
       sketch_count(s) AS n,
       array(0.5, 0.9, 0.99) AS phis,
       sketch_quantile(s, array(0.5, 0.9, 0.99)) AS answers,
       sketch_quantile_bounds(s, array(0.5, 0.9, 0.99)) AS bounds,
       sketch_rank_error(s) AS certified
FROM (
  SELECT carrier, quantile_sketch_agg(air_speed, epsilon => 0.01) AS s
  FROM flights
  GROUP BY carrier
)
ORDER BY n DESC;

-- Departure delay by airport, from stored sketches of each day and airport, at the default ε of 0.001
INSERT OVERWRITE DIRECTORY '{folder}/daily_delays.parquet' USING parquet
SELECT flight_date, origin, quantile_sketch_agg(dep_delay) AS delays
FROM flights
GROUP BY flight_date, origin;

CREATE OR REPLACE TEMP VIEW daily_delays USING parquet OPTIONS (path '{folder}/daily_delays.parquet');

SELECT origin,
       sketch_count(s) AS n,
       array(0.99) AS phis,
       sketch_quantile(s, array(0.99)) AS answers,
       sketch_quantile_bounds(s, array(0.99)) AS bounds,
       sketch_rank_error(s) AS certified,
       sketches,
       bytes
FROM (
  SELECT origin, sketch_merge_agg(delays) AS s, count(*) AS sketches, sum(length(delays)) AS bytes
  FROM daily_delays
  GROUP BY origin
)
ORDER BY origin;

-- Departure delay by month, from the same sketches
SELECT month,
       sketch_count(s) AS n,
       array(0.99) AS phis,
       sketch_quantile(s, array(0.99)) AS answers,
       sketch_quantile_bounds(s, array(0.99)) AS bounds,
       sketch_rank_error(s) AS certified,
       sketches,
       bytes
FROM (
  SELECT month(flight_date) AS month,
         sketch_merge_agg(delays) AS s,
         count(*) AS sketches,
         sum(length(delays)) AS bytes
  FROM daily_delays
  GROUP BY ALL
)
ORDER BY month;

-- Departure delay in any window that ends now, from one window sketch for each airport, at ε = 0.02
INSERT OVERWRITE DIRECTORY '{folder}/airport_windows.parquet' USING parquet
SELECT origin, window_sketch_agg(dep_delay, scheduled, epsilon => 0.02) AS delays
FROM flights
GROUP BY origin;

CREATE OR REPLACE TEMP VIEW airport_windows USING parquet
OPTIONS (path '{folder}/airport_windows.parquet');

SELECT concat(origin, ', ', name) AS `window`,
       sketch_count_bounds(w) AS n,
       array(0.9) AS phis,
       sketch_quantile(w, array(0.9)) AS answers,
       sketch_quantile_bounds(w, array(0.9)) AS bounds,
       sketch_rank_error(w) AS certified,
       length(delays) AS bytes
FROM airport_windows
LATERAL VIEW explode(map(
  'last day', sketch_window(delays, '1 day'),
  'last week', sketch_window(delays, '7 days'),
  'last 30 days', sketch_window(delays, '30 days'),
  'last 1 000 flights', sketch_window(delays, among_last(1000)))) named AS name, w
ORDER BY origin, n;

-- Miles of the flights in the air at any past moment, from one history for each airport, at ε = 0.02
INSERT OVERWRITE DIRECTORY '{folder}/airport_histories.parquet' USING parquet
SELECT origin, history_sketch_agg(distance, took_off, epsilon => 0.02, until => landed) AS in_the_air
FROM (
  SELECT origin,
         distance,
         timestampadd(MINUTE, dep_delay, scheduled) AS took_off,
         timestampadd(MINUTE, dep_delay + air_time, scheduled) AS landed
  FROM flights
  WHERE air_time IS NOT NULL
)
GROUP BY origin;

CREATE OR REPLACE TEMP VIEW airport_histories USING parquet
OPTIONS (path '{folder}/airport_histories.parquet');

SELECT concat(origin, ', ', moment) AS moment,
       sketch_count_bounds(s) AS n,
       array(0.9) AS phis,
       sketch_quantile(s, array(0.9)) AS answers,
       sketch_quantile_bounds(s, array(0.9)) AS bounds,
       sketch_rank_error(s) AS certified,
       bytes
FROM (
  SELECT origin, moment, sketch_at_version(in_the_air, moment) AS s, length(in_the_air) AS bytes
  FROM airport_histories
  LATERAL VIEW explode(array(
    TIMESTAMP_NTZ'2013-02-08 12:00:00',
    TIMESTAMP_NTZ'2013-07-04 12:00:00',
    TIMESTAMP_NTZ'2013-11-27 17:00:00')) moments AS moment
)
ORDER BY moment;

-- Air speed from the summaries of a warehouse: sorted files, a step for each half-year, at ε = 0.01
CALL chronosketch.create('{folder}/air_speeds', 'air_speed', by => array('origin'), epsilon => 0.01D,
                         if_not_exists => true);

CREATE OR REPLACE TEMP VIEW first_half AS
SELECT origin, air_speed FROM flights WHERE month(flight_date) <= 6;

CALL chronosketch.append('{folder}/air_speeds', 'first_half', writer => 'first_half', batch => 1L);

CREATE OR REPLACE TEMP VIEW second_half AS
SELECT origin, air_speed FROM flights WHERE month(flight_date) > 6;

CALL chronosketch.append('{folder}/air_speeds', 'second_half', writer => 'second_half', batch => 1L);

CALL chronosketch.register('{folder}/air_speeds', 'air_speeds');

SELECT origin,
       struct(count_low, count_high) AS n,
       array(0.9) AS phis,
       array(value) AS answers,
       array(struct(low, high)) AS bounds,
       rank_error / count_low AS certified,
       rows_read,
       rows_total
FROM warehouse_quantile('air_speeds', 0.9, accuracy => 'quick')
ORDER BY origin;

-- The same exactly, from a few pages of the files
SELECT origin,
       struct(count_low, count_high) AS n,
       array(0.9) AS phis,
       array(value) AS answers,
       array(struct(low, high)) AS bounds,
       rank_error / count_low AS certified,
       rows_read,
       rows_total
FROM warehouse_quantile('air_speeds', 0.9, accuracy => 'accurate')
ORDER BY origin;

-- Departure delay by the hour of the schedule, at ε = 0.005, as a picture
SELECT hour,
       sketch_count(s) AS n,
       array(0.5, 0.9, 0.99) AS phis,
       sketch_quantile(s, array(0.5, 0.9, 0.99)) AS answers,
       sketch_quantile_bounds(s, array(0.5, 0.9, 0.99)) AS bounds,
       sketch_rank_error(s) AS certified
FROM (
  SELECT hour, quantile_sketch_agg(dep_delay, epsilon => 0.005) AS s
  FROM flights
  WHERE dep_delay IS NOT NULL
  GROUP BY hour
)
ORDER BY hour;
