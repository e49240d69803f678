"""What the product tells of itself: logs, request times, and how far the counting is."""
