"""What summaries of other libraries say about ranks."""
