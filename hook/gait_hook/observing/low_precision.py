"""The lowest precision in which traced operators computed: what decides how far rounding alone moves a loss."""

TYPES = (("Float8", "float8"), ("BFloat16", "bfloat16"), ("Half", "float16"))


def lowest(events):
    """Of the profiler's events with shapes; empty: nothing below float32."""
    seen = {dtype for event in events for dtype in event.dtypes()}
    for part, name in TYPES:
        if any(part in dtype for dtype in seen):
            return name
    return ""
