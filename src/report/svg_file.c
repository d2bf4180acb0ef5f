#include "report/html_parts.h"

/* The colours of the report's light page. */
void svg_begin(struct strbuf *out, int width, int height)
{
    strbuf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\"><style>svg{background:#fff;font:12px sans-serif}"
        "text{fill:#59636e}.end{text-anchor:end}.mid{text-anchor:middle}"
        ".grid{stroke:#e3e6ea}.line{fill:none;stroke-width:1.8}"
        ".s-compute{stroke:#2f6fd6}.s-copies{stroke:#17907f}.t-compute{fill:#2f6fd6}"
        ".t-copies{fill:#17907f}.t-other{fill:#8b95a1}</style>",
        width, height, width, height);
}
