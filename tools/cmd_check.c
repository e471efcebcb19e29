#include "command.h"
#include "complain.h"
static int run_check(const struct settings *settings)
{
    (void)settings;
    return complain(STATUS_SYSTEM, "check: not yet");
}
const struct command command_check = {.name = "check",
                                      .summary = "checks",
                                      .words = " OPERATOR [FILE]...",
                                      .details = "",
                                      .takes_op = true,
                                      .run = run_check};
