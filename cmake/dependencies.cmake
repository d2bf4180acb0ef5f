# Parts from others. Each folder that owns a header gets its library as gait_<folder>_uses.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(gait_uses folder)
    add_library(gait_${folder}_uses INTERFACE)
    target_link_libraries(gait_${folder}_uses INTERFACE ${ARGN})
endfunction()

pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
gait_uses(run PkgConfig::SQLITE)

pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
gait_uses(config PkgConfig::YAML)

pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
gait_uses(base PkgConfig::XXHASH Threads::Threads)

pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# gzip: ISA-L where it is present, else zlib.
option(GAIT_ISAL "gzip through ISA-L; OFF: through zlib" ON)
pkg_check_modules(ISAL IMPORTED_TARGET libisal)
if(GAIT_ISAL AND ISAL_FOUND)
    gait_uses(trace PkgConfig::ISAL PkgConfig::ZSTD Threads::Threads)
    target_compile_definitions(gait_trace_uses INTERFACE GAIT_ISAL=1)
else()
    find_package(ZLIB REQUIRED)
    gait_uses(trace ZLIB::ZLIB PkgConfig::ZSTD Threads::Threads)
endif()

include(tree_sitter)

if(GAIT_TRAIN)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
        message(STATUS "the trainer is meant for gcc: Debian's libdnnl links libgomp, "
            "clang's OpenMP brings libomp beside it")
    endif()
    find_package(OpenMP REQUIRED COMPONENTS C)
    find_package(dnnl CONFIG REQUIRED)
    find_package(MPI REQUIRED COMPONENTS C)
    gait_uses(machine OpenMP::OpenMP_C)
    gait_uses(probe OpenMP::OpenMP_C)
    gait_uses(engine DNNL::dnnl OpenMP::OpenMP_C)
    gait_uses(model OpenMP::OpenMP_C)
    gait_uses(optim OpenMP::OpenMP_C)
    gait_uses(dist MPI::MPI_C)
    gait_uses(data Threads::Threads)
    gait_uses(train OpenMP::OpenMP_C)
endif()
