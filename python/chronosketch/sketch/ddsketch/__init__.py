"""The ddsketch, family 6: answers within a share of themselves."""
