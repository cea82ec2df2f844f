/* read.c: the one place where loading a matrix touches the file system. */
#include "matrix/read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/parse.h"
#include "mountbench/text.h"

size_t
mb_utf8_valid(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && text[at] != '\0') {
        uint32_t code;
        /* A character that is cut short by ${len} reads the NUL there, or what follows: its length tells. */
        size_t n = mb_text_decode(text + at, &code);
        if ((n == 1 && code == MB_TEXT_INVALID) || n > len - at)
            break;
        at += n;
    }
    return at;
}

static unsigned
line_of(const char *text, size_t offset)
{
    unsigned line = 1;

    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

static int
check_text(const char *path, const struct mb_buffer *content, struct mb_error *err)
{
    const char *text = mb_buffer_text(content);
    size_t valid = mb_utf8_valid(text, content->len);

    if (content->len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return mb_error_set(err, MB_ECONFIG, "%s: the file is UTF-16; save it as UTF-8", path);
    if (valid == content->len)
        return 0;
    return mb_error_set(err, MB_ECONFIG, "%s:%u: not a text in UTF-8: byte 0x%02x at offset %zu", path, line_of(text, valid),
                        (unsigned)(unsigned char)text[valid], valid);
}

static int
check_kind(const char *path, int fd, struct mb_error *err)
{
    struct stat st;
    char size[MB_FORMAT_MAX], most[MB_FORMAT_MAX];

    if (fstat(fd, &st) != 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "%s", path);
    if (S_ISDIR(st.st_mode))
        return mb_error_set(err, MB_ECONFIG, "%s: is a directory; name the matrix file in it", path);
    if (!S_ISREG(st.st_mode))
        return mb_error_set(err, MB_ECONFIG, "%s: is not a regular file", path);
    if (st.st_size > MB_MATRIX_FILE_MAX)
        return mb_error_set(err, MB_ECONFIG, "%s: is %s large; a matrix file is at most %s", path,
                            mb_format_size((uint64_t)st.st_size, size), mb_format_size(MB_MATRIX_FILE_MAX, most));
    return 0;
}

static int
read_all(const char *path, int fd, struct mb_buffer *out, struct mb_error *err)
{
    char chunk[16384], most[MB_FORMAT_MAX];

    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mb_error_errno(err, MB_ECONFIG, errno, "%s", path);
        if (n == 0)
            return 0;
        /* A file can grow between fstat and here. */
        if (out->len + (size_t)n > MB_MATRIX_FILE_MAX || mb_buffer_append(out, chunk, (size_t)n) != 0)
            return mb_error_set(err, MB_ECONFIG, "%s: is larger than %s", path, mb_format_size(MB_MATRIX_FILE_MAX, most));
    }
}

int
mb_matrix_read(const char *path, struct mb_buffer *out, struct mb_error *err)
{
    /* O_NONBLOCK: opening a FIFO that nobody writes to must not wait. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "%s", path);
    int status = check_kind(path, fd, err);
    if (status == 0)
        status = read_all(path, fd, out, err);
    close(fd);
    return status == 0 ? check_text(path, out, err) : -1;
}
