#include "report/html_parts.h"

#include <math.h>

#include <string.h>

void html_text(struct strbuf *out, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '&':
            strbuf_puts(out, "&amp;");
            break;
        case '<':
            strbuf_puts(out, "&lt;");
            break;
        case '>':
            strbuf_puts(out, "&gt;");
            break;
        case '"':
            strbuf_puts(out, "&quot;");
            break;
        case '\'':
            strbuf_puts(out, "&#39;");
            break;
        default:
            strbuf_putc(out, *s);
        }
    }
}

void html_tick(struct strbuf *out, double value)
{
    bool plain = fabs(value) >= 1000 && fabs(value) < 1e7;
    strbuf_printf(out, plain ? "%.0f" : "%.4g", value);
}

void html_script_json(struct strbuf *out, const char *json)
{
    /* < > & and the two line separators occur in JSON inside strings only, where their
     * escapes mean the same. */
    for (const char *s = json; *s; s++) {
        bool separator = !strncmp(s, "\xe2\x80\xa8", 3) || !strncmp(s, "\xe2\x80\xa9", 3);
        if (separator) {
            strbuf_printf(out, "\\u20%02x", s[2] == '\xa8' ? 0x28u : 0x29u);
            s += 2;
        } else if (*s == '<' || *s == '>' || *s == '&') {
            strbuf_printf(out, "\\u%04x", (unsigned)*s);
        } else {
            strbuf_putc(out, *s);
        }
    }
}
