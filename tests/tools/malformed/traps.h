/* The traps, by the file that has them. */
#ifndef GAIT_TESTS_TRAPS_H
#define GAIT_TESTS_TRAPS_H

#include "corpus.h"

#define TRAP_LIST(T)                                                                     \
    /* traps_fields.c */                                                                 \
    T(wrong_type_of_an_event_field)                                                      \
    T(wrong_type_of_a_numeric_argument)                                                  \
    T(wrong_type_of_a_text_argument)                                                     \
    T(wrong_type_of_a_head_value)                                                        \
    T(a_field_is_missing)                                                                \
    T(a_field_comes_twice)                                                               \
    T(numbers_of_every_size)                                                             \
    T(unknown_categories_and_phases)                                                     \
    /* traps_kineto.c: the list of kineto-format.md */                                   \
    T(device_work_without_launch)                                                        \
    T(one_correlation_many_kernels)                                                      \
    T(pids_of_a_container)                                                               \
    T(arrows_without_partners)                                                           \
    T(events_out_of_order)                                                               \
    T(nesting_that_overlaps)                                                             \
    T(rows_named_by_text)                                                                \
    T(amd_spellings)                                                                     \
    T(spelling_varies)                                                                   \
    T(times_that_cannot_be)                                                              \
    T(no_rank_or_a_strange_one)                                                          \
    T(ids_and_sizes_that_overflowed)                                                     \
    T(memory_events_without_numbers)                                                     \
    T(bases_that_cannot_be)                                                              \
    /* traps_json.c */                                                                   \
    T(unescaped_quotes_in_a_name)                                                        \
    T(control_characters_in_a_name)                                                      \
    T(escapes_that_json_does_not_know)                                                   \
    T(surrogates)                                                                        \
    T(invalid_utf8)                                                                      \
    T(separators_gone_wrong)                                                             \
    T(brackets_gone_wrong)                                                               \
    T(words_that_are_no_json)                                                            \
    T(events_inside_strings)                                                             \
    T(events_inside_arguments)                                                           \
    T(elements_that_are_no_events)                                                       \
    T(damaged_heads)                                                                     \
    T(damaged_footers)                                                                   \
    T(text_around_the_document)                                                          \
    T(cut_at_many_places)                                                                \
    T(not_a_trace)                                                                       \
    /* traps_bytes.c */                                                                  \
    T(line_ends)                                                                         \
    T(byte_order_marks_and_wide_encodings)                                               \
    T(nul_bytes)                                                                         \
    T(gzip_members)                                                                      \
    T(gzip_cut_short)                                                                    \
    T(gzip_damaged)                                                                      \
    T(gzip_with_header_fields)                                                           \
    T(other_compressions)                                                                \
    /* traps_size.c */                                                                   \
    T(nesting_too_deep)                                                                  \
    T(names_too_long)                                                                    \
    T(events_too_long)                                                                   \
    T(numbers_too_long)                                                                  \
    T(too_many_threads)                                                                  \
    T(too_many_names)                                                                    \
    T(too_many_keys)                                                                     \
    T(white_space_without_end)                                                           \
    T(floods)

#define TRAP_DECLARE(name) void name(struct corpus *c);
TRAP_LIST(TRAP_DECLARE)

#endif
