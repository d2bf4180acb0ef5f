; GT001 unused-noqa
; title: a noqa comment that suppresses nothing
; why: it hides the next finding of this rule in its line, and readers take it for a reason
; fix: remove the comment, or the code from it
; found-by: src/lint/lint_noqa.c, once all rules have run; it needs no query
