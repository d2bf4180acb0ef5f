/* A path as a URI reference (RFC 3986): relative as it is, absolute with file://. */
#ifndef GAIT_LINT_FILE_URI_H
#define GAIT_LINT_FILE_URI_H

#include "base/strbuf.h"

void file_uri(struct strbuf *out, const char *path);

#endif
