# What makes a memory error harder to use. Checked on the binaries by tests/e2e/the_binary_is_hardened.sh.

# Libraries come from the system's folders only. CMake's build RPATH ends in an empty entry (room to rewrite
# it at installation), and an empty entry is the current folder. MPI elsewhere: -DCMAKE_INSTALL_RPATH=/opt/mpi/lib.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
if(GAIT_SANITIZE STREQUAL "thread") # libarcher, without which TSan does not know OpenMP, is beside clang's libomp
    set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# -fPIE also for the static libraries, which CMake would compile with -fPIC: that forbids inlining across functions.
set(kind $<TARGET_PROPERTY:TYPE>)
add_compile_options($<$<NOT:$<IN_LIST:${kind},MODULE_LIBRARY$<SEMICOLON>SHARED_LIBRARY>>:-fPIE>)
add_link_options($<$<STREQUAL:${kind},EXECUTABLE>:-pie>)

# -fcf-protection exists on x86 alone.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fcf-protection=full GAIT_HAS_CF_PROTECTION)
add_compile_options(-fstack-protector-strong $<$<BOOL:${GAIT_HAS_CF_PROTECTION}>:-fcf-protection=full>)
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
# Sanitizers check more, and their wrappers stand in the way of the fortified ones; without -O there are none.
if(NOT GAIT_SANITIZE)
    add_compile_options($<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
endif()

# No path of the machine that built it: messages and debug information name src/….
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
