# The libraries of the analysis side from the sources in GAIT_BUNDLED (packaging/wheel/fetch puts them there), under the
# names that pkg-config's have in dependencies.cmake. For the wheel: its program needs no library but libc.
enable_language(ASM_NASM)

function(gait_bundle name include) # target, folder of its public headers, sources…
    add_library(${name} STATIC ${ARGN})
    set_target_properties(${name} PROPERTIES C_EXTENSIONS ON)
    target_include_directories(${name} SYSTEM PUBLIC ${include})
    target_compile_options(${name} PRIVATE -w)
endfunction()
add_compile_options($<$<COMPILE_LANGUAGE:C>:-ffile-prefix-map=${GAIT_BUNDLED}/=> $<$<COMPILE_LANGUAGE:C>:-g0>)

# The source distribution adds five lines behind the amalgamation: an extension of its own that starts by itself.
set(source ${GAIT_BUNDLED}/sqlean-py/sqlite)
file(READ ${source}/sqlite3.c text)
string(FIND "${text}" "/************************** End of sqlite3.c ****" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(CONFIGURE OUTPUT sqlite/sqlite3.c CONTENT "${text}" @ONLY)
gait_bundle(sqlite3 ${source} ${CMAKE_CURRENT_BINARY_DIR}/sqlite/sqlite3.c)
target_compile_definitions(sqlite3 PRIVATE SQLITE_OMIT_LOAD_EXTENSION)
target_link_libraries(sqlite3 PUBLIC Threads::Threads m)
add_library(PkgConfig::SQLITE ALIAS sqlite3)

set(source ${GAIT_BUNDLED}/zstandard/zstd)
gait_bundle(zstd ${source} ${source}/zstd.c)
target_link_libraries(zstd PUBLIC Threads::Threads)
add_library(PkgConfig::ZSTD ALIAS zstd)

set(source ${GAIT_BUNDLED}/xxhash/deps/xxhash)
gait_bundle(xxhash ${source} ${source}/xxhash.c)
add_library(PkgConfig::XXHASH ALIAS xxhash)

set(source ${GAIT_BUNDLED}/libyaml)
file(GLOB sources ${source}/src/*.c)
gait_bundle(yaml ${source}/include ${sources})
target_compile_definitions(yaml PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5
    YAML_VERSION_STRING="0.2.5")
add_library(PkgConfig::YAML ALIAS yaml)

# Of ISA-L what inflates and deflates. The right function for the processor is chosen at run time.
set(source ${GAIT_BUNDLED}/isal/src/isal/isa-l)
set(folders ${source}/include ${source}/igzip ${source}/crc)
file(GLOB sources ${source}/igzip/*.asm ${source}/crc/crc16*.asm ${source}/crc/crc32*.asm ${source}/crc/crc_multibinary.asm)
list(FILTER sources EXCLUDE REGEX # what others include, and a program
    "/(bitbuf2|data_struct2|inflate_data_structs|lz0a_const|options|stdmac|huffman|heap_macros)\\.asm$")
list(FILTER sources EXCLUDE REGEX
    "/(igzip_compare_types|igzip_update_histogram|igzip_decode_block_stateless|igzip_perf_misc)\\.asm$")
add_library(isal_asm OBJECT ${sources})
set_target_properties(isal_asm PROPERTIES COMPILE_OPTIONS -DLINUX) # and none of the compiler's
target_include_directories(isal_asm PRIVATE ${folders})
set(sources ${source}/crc/crc_base.c)
foreach(name igzip hufftables_c igzip_base igzip_icf_base adler32_base flatten_ll encode_df igzip_icf_body huff_codes
        igzip_inflate)
    list(APPEND sources ${source}/igzip/${name}.c)
endforeach()
gait_bundle(isal ${CMAKE_CURRENT_BINARY_DIR}/isal ${sources} $<TARGET_OBJECTS:isal_asm>)
target_include_directories(isal PRIVATE ${folders})
file(COPY ${source}/include/igzip_lib.h DESTINATION isal/isa-l) # <isa-l/igzip_lib.h>, as installed
add_library(PkgConfig::ISAL ALIAS isal)
set(ISAL_FOUND TRUE)

add_library(cpu_model STATIC ${CMAKE_SOURCE_DIR}/packaging/wheel/cpu_model.c) # see there
link_libraries(cpu_model)
