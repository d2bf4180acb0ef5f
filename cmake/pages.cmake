# The pages of docs/ that messages name are part of the program, which may be installed without them: src/cli/page.h.
function(gait_pages target)
    file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/rules/*.md)
    set(made ${CMAKE_BINARY_DIR}/page_list.c)
    add_custom_command(OUTPUT ${made}
        COMMAND ${CMAKE_SOURCE_DIR}/scripts/make-pages ${CMAKE_SOURCE_DIR} ${pages} > ${made}
        DEPENDS ${pages} ${CMAKE_SOURCE_DIR}/scripts/make-pages)
    target_sources(${target} PRIVATE ${made})
endfunction()
