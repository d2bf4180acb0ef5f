#include "report/job_text.h"

const char *job_reason(enum job_state state)
{
    switch (state) {
    case JOB_ONE_RANK:
        return "there is one rank only";
    case JOB_NO_COLLECTIVES:
        return "no collective was recorded one by one, so there is nothing to align "
               "clocks "
               "on";
    case JOB_UNMATCHED:
        return "no collective of one rank could be told to be that of another, so clocks "
               "are not aligned";
    case JOB_ALIGNED:
        break;
    }
    return "";
}
