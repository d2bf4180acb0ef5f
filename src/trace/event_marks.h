/*
 * An event read from mark to mark (text_index.h): the fast way of event_parse()
 * (event_reader.h), and the same result for whatever both take. What stands between
 * marks and is not used is not looked at; of arrows (ph s, t, f) only ph is read.
 */
#ifndef GAIT_TRACE_EVENT_MARKS_H
#define GAIT_TRACE_EVENT_MARKS_H

#include "trace/event_reader.h"
#include "trace/text_index.h"

/* The next mark opens the event. JSON_OK: the marks up to its closing bracket are used.
 * JSON_MORE: its marks are not all there yet. JSON_BAD: for event_parse() to judge. */
enum json_result event_parse_marks(struct trace_event *e, struct text_index *x);

#endif
