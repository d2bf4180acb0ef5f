# The table of lint's rules is made from src/lint/rules, one file a rule.
function(gait_lint_rules target)
    file(GLOB rules CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/lint/rules/*.scm)
    set(made ${CMAKE_BINARY_DIR}/lint_rules_table.c)
    add_custom_command(OUTPUT ${made}
        COMMAND ${CMAKE_SOURCE_DIR}/scripts/make-lint-rules ${rules} > ${made}
        DEPENDS ${rules} ${CMAKE_SOURCE_DIR}/scripts/make-lint-rules)
    target_sources(${target} PRIVATE ${made})
endfunction()
