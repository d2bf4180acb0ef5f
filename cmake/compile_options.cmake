# Flags that every target shares.
include(${CMAKE_CURRENT_LIST_DIR}/hardening.cmake)
add_library(gait_options INTERFACE)
target_compile_definitions(gait_options INTERFACE _GNU_SOURCE GAIT_VERSION="${PROJECT_VERSION}"
    $<$<BOOL:${GAIT_TRAIN}>:GAIT_TRAIN=1>)
# What was measured by a build holds for builds like it.
target_compile_definitions(gait_options INTERFACE
    GAIT_BUILD="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${GAIT_SANITIZE}")
target_include_directories(gait_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
# -std=c11 turns FMA contraction off in gcc; kernels want it. errno after sqrt() keeps loops scalar.
# Never -ffast-math: it breaks NaN checks.
target_compile_options(gait_options INTERFACE
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
    -Wformat=2 -Wno-format-nonliteral -Wno-unknown-pragmas -fno-common -ffp-contract=fast -fno-math-errno
    $<$<BOOL:${GAIT_WERROR}>:-Werror>)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    # A loop that "omp simd" could not vectorise is a matter of speed, and clang is not for speed here.
    target_compile_options(gait_options INTERFACE -Wno-pass-failed)
endif()
if(GAIT_SANITIZE)
    target_compile_options(gait_options INTERFACE
        -fsanitize=${GAIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(gait_options INTERFACE -fsanitize=${GAIT_SANITIZE})
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # Instrumented code makes gcc see NULL formats and overflows that are not there.
        target_compile_options(gait_options INTERFACE -Wno-format-truncation -Wno-stringop-overflow
            -Wno-maybe-uninitialized)
    endif()
endif()
if(GAIT_FUZZ)
    # The macro: what a fuzzer cannot make (a checksum) is not compared.
    target_compile_options(gait_options INTERFACE -fsanitize=fuzzer-no-link
        -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()
if(GAIT_COVERAGE)
    target_compile_options(gait_options INTERFACE --coverage)
    target_link_options(gait_options INTERFACE --coverage)
endif()
target_link_libraries(gait_options INTERFACE m)
