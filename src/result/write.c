/*
 * write.c: records out, one line a record, one write a line.
 *
 * The file is never brought to the disk by force while measuring: an fsync of ours would be part of what is measured.  It is
 * when the writer is closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/buffer.h"
#include "mountbench/result.h"
#include "result/lines.h"

struct mb_result_writer {
    int fd;
    char *path;
};

static int
new_writer(int fd, const char *path, struct mb_result_writer **out, struct mb_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct mb_result_writer *w;

    if (fcntl(fd, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
        close(fd);
        return mb_error_set(err, MB_EIO, "%s: another run is writing to it; wait for it to end, or give another --output", path);
    }
    w = calloc(1, sizeof *w);
    char *copy = strdup(path);
    if (w == NULL || copy == NULL) {
        free(w);
        free(copy);
        close(fd);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    w->fd = fd;
    w->path = copy;
    *out = w;
    return 0;
}

/* Make the directories that ${path} lies in. */
static int
make_parents(const char *path, struct mb_error *err)
{
    char *copy = strdup(path);

    if (copy == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST && errno != EISDIR) {
            int rc = mb_error_errno(err, MB_ECONFIG, errno, "%s: cannot make the directory for results", copy);
            free(copy);
            return rc;
        }
        *slash = '/';
    }
    free(copy);
    return 0;
}

int
mb_result_create(const char *path, struct mb_result_writer **out, struct mb_error *err)
{
    *out = NULL;
    if (*path == '\0')
        return mb_error_set(err, MB_EUSAGE, "the name of the result file is empty");
    if (make_parents(path, err) != 0)
        return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return mb_error_set(err, MB_EUSAGE, "%s: exists already, and results are never overwritten; go on with it with --resume",
                            path);
    if (fd < 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "%s: cannot create", path);
    return new_writer(fd, path, out, err);
}

/* Read the last line of ${fd}, of ${size} bytes in all, when it has no newline: its bytes into ${tail}, its place in *${start}. */
static int
read_tail(int fd, off_t size, struct mb_buffer *tail, off_t *start, const char *path, struct mb_error *err)
{
    off_t from = size > (off_t)MB_RESULT_LINE_MAX ? size - (off_t)MB_RESULT_LINE_MAX : 0;
    char chunk[16384];
    ssize_t n = 0;

    *start = from;
    for (off_t at = from; at < size; at += n) {
        n = pread(fd, chunk, sizeof chunk, at);
        if (n <= 0)
            return mb_error_errno(err, MB_EIO, n < 0 ? errno : EIO, "%s: cannot read its end", path);
        ssize_t after = n;
        while (after > 0 && chunk[after - 1] != '\n')
            after--;
        if (after > 0) {
            mb_buffer_reset(tail);
            *start = at + after;
        }
        mb_buffer_append(tail, chunk + after, (size_t)(n - after));
    }
    if (from > 0 && *start == from)
        return mb_error_set(err, MB_ECONFIG, "%s: its last line is longer than %zu bytes; this is no result file", path,
                            MB_RESULT_LINE_MAX);
    return tail->overflowed ? mb_error_set(err, MB_EIO, "out of memory") : 0;
}

/* A last line without a newline: ended when it is a complete object, cut off when it is torn. */
static int
mend_tail(int fd, const char *path, struct mb_error *err)
{
    MB_AUTO_BUFFER tail = MB_BUFFER_INIT(MB_RESULT_LINE_MAX);
    struct stat st;
    off_t start;
    char first = '{';

    if (fstat(fd, &st) != 0)
        return mb_error_errno(err, MB_EIO, errno, "%s", path);
    if (!S_ISREG(st.st_mode))
        return mb_error_set(err, MB_ECONFIG, "%s: is no ordinary file", path);
    if (st.st_size > 0 && pread(fd, &first, 1, 0) == 1 && first != '{')
        return mb_error_set(err, MB_ECONFIG, "%s: is no result file, and left alone", path);
    if (read_tail(fd, st.st_size, &tail, &start, path, err) != 0)
        return -1;
    if (tail.len == 0)
        return 0;
    cJSON *tree = mb_line_object(&(struct mb_line){.text = tail.data, .length = tail.len});
    bool complete = tree != NULL;
    cJSON_Delete(tree);
    if (complete ? write(fd, "\n", 1) != 1 : ftruncate(fd, start) != 0)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot mend its torn last line", path);
    return 0;
}

int
mb_result_append(const char *path, struct mb_result_writer **out, struct mb_error *err)
{
    *out = NULL;
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return mb_error_errno(err, errno == ENOENT || errno == EISDIR ? MB_ECONFIG : MB_EIO, errno,
                              "%s: cannot open to go on with it", path);
    if (new_writer(fd, path, out, err) != 0)
        return -1;
    if (mend_tail(fd, path, err) != 0) {
        mb_result_close(*out);
        *out = NULL;
        return -1;
    }
    return 0;
}

/* ${text} with what is not UTF-8 (an engine's words, a file name) replaced by U+FFFD. */
static void
append_utf8(struct mb_buffer *line, const char *text)
{
    size_t n = strlen(text);

    while (n > 0) {
        size_t valid = mb_utf8_valid_prefix(text, n);
        mb_buffer_append(line, text, valid);
        text += valid;
        n -= valid;
        if (n > 0) {
            mb_buffer_puts(line, "\xEF\xBF\xBD");
            text++;
            n--;
        }
    }
}

static int
write_all(const struct mb_result_writer *w, const struct mb_buffer *line, struct mb_error *err)
{
    off_t before = lseek(w->fd, 0, SEEK_END);
    size_t done = 0;

    while (done < line->len) {
        ssize_t n = write(w->fd, line->data + done, line->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int errnum = errno;
            /* Better no line than half a one; should that fail too, a reader takes it for torn. */
            if (done > 0 && before >= 0 && ftruncate(w->fd, before) != 0)
                errnum = errno;
            return mb_error_errno(err, MB_EIO, errnum, "%s: cannot write", w->path);
        }
        done += (size_t)n;
    }
    return 0;
}

/* The shortest text that reads back as just ${value}; "null" for what JSON has no number for. */
static void
print_number(double value, char text[32])
{
    if (!isfinite(value)) {
        memcpy(text, "null", sizeof "null");
    } else if (value == floor(value) && fabs(value) <= 0x1p53) {
        snprintf(text, 32, "%.0f", value);
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, 32, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
    }
}

/* cJSON prints numbers to within an epsilon: replace them by their exact texts.  -1 without memory. */
static int
make_numbers_exact(cJSON *item)
{
    for (; item != NULL; item = item->next) {
        char text[32];

        if (make_numbers_exact(item->child) != 0)
            return -1;
        if (!cJSON_IsNumber(item))
            continue;
        print_number(item->valuedouble, text);
        size_t size = strlen(text) + 1;
        item->valuestring = cJSON_malloc(size);
        if (item->valuestring == NULL)
            return -1;
        memcpy(item->valuestring, text, size);
        item->type = (item->type & ~0xFF) | cJSON_Raw;
    }
    return 0;
}

static char *
print_record(const cJSON *record)
{
    cJSON *copy = cJSON_Duplicate(record, true);
    char *text = copy != NULL && make_numbers_exact(copy) == 0 ? cJSON_PrintUnformatted(copy) : NULL;

    cJSON_Delete(copy);
    return text;
}

int
mb_result_write(struct mb_result_writer *w, const cJSON *record, struct mb_error *err)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(MB_RESULT_LINE_MAX);
    char *text = print_record(record);

    if (text == NULL)
        return mb_error_set(err, MB_EIO, "%s: out of memory", w->path);
    append_utf8(&line, text);
    mb_buffer_putc(&line, '\n');
    cJSON_free(text);
    if (line.overflowed)
        return mb_error_set(err, MB_EIO, "%s: a record is longer than %zu bytes", w->path, MB_RESULT_LINE_MAX);
    return write_all(w, &line, err);
}

void
mb_result_close(struct mb_result_writer *w)
{
    if (w == NULL)
        return;
    fsync(w->fd);
    close(w->fd);
    free(w->path);
    free(w);
}
