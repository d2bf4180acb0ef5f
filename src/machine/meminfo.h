/* Memory of the machine and what is free of it for this process. NAN: not known. */
#ifndef GAIT_MACHINE_MEMINFO_H
#define GAIT_MACHINE_MEMINFO_H

double meminfo_total_bytes(void);
/* The most that this process can ever have: the machine's memory or, where it is smaller,
 * the control group's limit. The folders are those of cgroup.h. */
double meminfo_limit_bytes(const char *cgroup_root, const char *cgroup_of_self);
/* What programs can still get without swapping, cut by the control group's limit. */
double meminfo_available_bytes(void);

/* The value of a line "key: 123 kB" in text, in bytes; NAN where there is none. */
double meminfo_value(const char *text, const char *key);

#endif
