"""The quantile sketch, family 1: exact bags, and Greenwald-Khanna summaries."""
