/* SPDX-License-Identifier: Apache-2.0 */
#include "exec_outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"
#include "document.h"
#include "formats.h"
#include "trace_events.h"

int exec_outputs_need_trace(const struct settings *settings)
{
    return settings->report != NULL || settings->trace != NULL;
}

int exec_outputs_need_places(const struct settings *settings)
{
    return exec_outputs_need_trace(settings) || settings->format != FORMAT_NONE || settings->suppress != NULL;
}

int exec_outputs_have_document(const struct settings *settings)
{
    return settings->log != NULL && format_is_document((enum format)settings->format);
}

static const char *report_name(const struct settings *settings)
{
    const int is_short = settings->report != NULL && strcmp(settings->report, "html") == 0;
    return is_short ? "regrad-report.html" : settings->report;
}

/* Devices and pipes take all that comes. */
static int is_shared(const char *name)
{
    struct stat status;
    return strcmp(name, "-") != 0 && stat(name, &status) == 0 && !S_ISREG(status.st_mode);
}

/* One would replace the other. */
static int refuse_twice(const struct settings *settings)
{
    const struct {
        const char *option, *name;
    } names[] = {{"--report", report_name(settings)}, {"--trace", settings->trace}, {"--log", settings->log}};
    for (int k = 0; k < 3; k++)
        for (int l = k + 1; l < 3; l++)
            if (names[k].name != NULL && names[l].name != NULL && strcmp(names[k].name, names[l].name) == 0 &&
                !is_shared(names[k].name))
                return complain(STATUS_REFUSED, "exec: %s and %s are both '%s'", names[k].option, names[l].option,
                                names[k].name);
    return STATUS_OK;
}

int exec_outputs_try(struct exec_outputs *outputs, const struct settings *settings)
{
    int status = refuse_twice(settings);
    if (status == STATUS_OK && settings->report != NULL)
        status = output_try(&outputs->report, report_name(settings));
    if (status == STATUS_OK && settings->trace != NULL)
        status = output_try(&outputs->trace, settings->trace);
    if (status == STATUS_OK && exec_outputs_have_document(settings))
        status = output_try(&outputs->log, settings->log);
    return status;
}

/* Findings in a format that has no file. Those of text are there already: they are printed when they happen. */
static int print_findings(enum format format, const struct run *run)
{
    if (format == FORMAT_SARIF && !sarif_print(stderr, run))
        return complain_memory("the findings");
    if (format == FORMAT_JUNIT && !junit_print(stderr, run))
        return complain_memory("the findings");
    if (format == FORMAT_GITHUB && run->record->findings != NULL)
        putc('\n', stderr); /* the program may have left a line without an end; commands stand at the begin of one */
    if (format == FORMAT_JSON || format == FORMAT_GITHUB)
        for (const struct finding *finding = run->record->findings; finding != NULL; finding = finding->next)
            format_print(stderr, format, finding);
    if (fflush(stderr) == 0 && !ferror(stderr))
        return STATUS_OK;
    return complain(STATUS_SYSTEM, "exec: standard error: cannot be written: %s", strerror(errno));
}

static int write_findings(struct exec_outputs *outputs, const struct settings *settings, const struct run *run)
{
    const enum format format = (enum format)settings->format;
    if (settings->log == NULL)
        return print_findings(format, run);
    if (!format_is_document(format))
        return STATUS_OK;
    return document_write(&outputs->log, "the log", format == FORMAT_SARIF ? sarif_print : junit_print, run);
}

int exec_outputs_write(struct exec_outputs *outputs, const struct settings *settings, const struct run *run)
{
    int status = STATUS_OK;
    if (run->record->is_out_of_memory && exec_outputs_need_trace(settings))
        return complain_memory("the report");
    if (settings->report != NULL)
        status |= document_write(&outputs->report, "the report", report_print, run);
    if (settings->trace != NULL)
        status |= document_write(&outputs->trace, "the trace", trace_events_print, run);
    status |= write_findings(outputs, settings, run);
    return status;
}
