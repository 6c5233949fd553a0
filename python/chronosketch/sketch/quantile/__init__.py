"""The quantile sketch, family 1: exact bags, and summaries by Greenwald and Khanna."""
