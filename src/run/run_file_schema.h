/* The SQL of a run file; private to run. */
#ifndef GAIT_RUN_RUN_FILE_SCHEMA_H
#define GAIT_RUN_RUN_FILE_SCHEMA_H

/* "gait" in PRAGMA application_id, which the file command shows. */
#define RUN_FILE_APPLICATION_ID 0x67616974

#endif
