# tree-sitter and its grammars of Python and TOML, from .deps/ (scripts/fetch-tree-sitter puts them there).
set(TS_CORE ${CMAKE_SOURCE_DIR}/.deps/tree-sitter/tree_sitter/core/lib)
set(TS_PYTHON ${CMAKE_SOURCE_DIR}/.deps/tree-sitter-python/src)
set(TS_TOML ${CMAKE_SOURCE_DIR}/.deps/tree-sitter-toml/src)
option(GAIT_LINT "gait lint, with the sources that scripts/fetch-tree-sitter fetches" ON)
if(GAIT_LINT AND EXISTS ${TS_CORE}/src/lib.c AND EXISTS ${TS_PYTHON}/tree_sitter/parser.h
        AND EXISTS ${TS_TOML}/tree_sitter/parser.h)
    add_library(tree_sitter STATIC
        ${TS_CORE}/src/lib.c ${TS_PYTHON}/parser.c ${TS_PYTHON}/scanner.c
        ${TS_TOML}/parser.c ${TS_TOML}/scanner.c)
    target_include_directories(tree_sitter SYSTEM PUBLIC ${TS_CORE}/include)
    target_include_directories(tree_sitter PRIVATE ${TS_CORE}/src)
    target_compile_definitions(tree_sitter PRIVATE _GNU_SOURCE)
    target_compile_options(tree_sitter PRIVATE -w -include ${CMAKE_SOURCE_DIR}/cmake/tree_sitter_clock.h)
    gait_uses(source tree_sitter)
    target_compile_definitions(gait_source_uses INTERFACE GAIT_TREE_SITTER=1)
else()
    message(STATUS "gait lint will say it is not available: run scripts/fetch-tree-sitter")
endif()
