"""The DDSketch, family 6: quantiles with a bounded relative error."""
