/* Spoils calls of the C library that write to a folder: the one whose turn it is, or all from it on.
   Loaded before the library (LD_PRELOAD); does nothing until it is armed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static char how[16];
static int at = -1, calls = 0, error = 0;

void pacer_arm(const char *where, int call, const char *kind, int number) {
    snprintf(folder, sizeof folder, "%s", where);
    snprintf(how, sizeof how, "%s", kind);
    at = call;
    calls = 0;
    error = number;
}

int pacer_calls(void) { return calls; }

static int ours(const char *path) { return folder[0] && path && strstr(path, folder) == path; }

static int open_there(int descriptor) {
    char name[64], path[4096];
    if (!folder[0]) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return ours(path);
}

/* Counts a call; whether it is to fail. "once" and "on" fail, "kill" ends the process before it is made; "torn" is for
   the first write from that call on, which does half of its work before the process ends. */
static int spoiled(void) {
    calls++;
    if (at < 0 || !strcmp(how, "torn") || calls < at || (calls > at && strcmp(how, "on"))) return 0;
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *bytes, size_t size) {
    REAL(write);
    if (!open_there(descriptor)) return real(descriptor, bytes, size);
    if (!strcmp(how, "torn") && at >= 0 && calls + 1 >= at) {
        real(descriptor, bytes, size / 2);
        kill(getpid(), SIGKILL);
    }
    return spoiled() ? -1 : real(descriptor, bytes, size);
}

int fsync(int descriptor) {
    REAL(fsync);
    return open_there(descriptor) && spoiled() ? -1 : real(descriptor);
}

#define TWO_PATHS(name) \
    int name(const char *from, const char *to) { REAL(name); return ours(to) && spoiled() ? -1 : real(from, to); }
#define ONE_PATH(name, type) \
    int name(const char *path, type given) { REAL(name); return ours(path) && spoiled() ? -1 : real(path, given); }
#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list given; \
        va_start(given, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(given, mode_t) : 0; \
        va_end(given); \
        return flags & (O_WRONLY | O_RDWR) && ours(path) && spoiled() ? -1 : real(path, flags, mode); \
    }

TWO_PATHS(rename)
ONE_PATH(mkdir, mode_t)
ONE_PATH(truncate, off_t)
ONE_PATH(truncate64, off64_t)
OPEN(open)
OPEN(open64)

int unlink(const char *path) {
    REAL(unlink);
    return ours(path) && spoiled() ? -1 : real(path);
}
