/* sha256.h against the vectors of FIPS 180-4's examples, and lengths around the block's edges. */
#include "mountbench/sha256.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(vectors)
{
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char out[MB_SHA256_HEX_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(mb_sha256_hex(cases[i].text, strlen(cases[i].text), out), cases[i].digest);
}
END_TEST

START_TEST(million)
{
    char *text = malloc(1000000), out[MB_SHA256_HEX_MAX];

    ck_assert_ptr_nonnull(text);
    memset(text, 'a', 1000000);
    ck_assert_str_eq(mb_sha256_hex(text, 1000000, out), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}
END_TEST

/* Where the length no longer fits the block, it goes into the next: digests of n letters 'a', as coreutils' sha256sum has them. */
START_TEST(edges)
{
    static const struct {
        size_t n;
        const char *digest;
    } cases[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
    };
    char text[65], out[MB_SHA256_HEX_MAX];

    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(mb_sha256_hex(text, cases[i].n, out), cases[i].digest);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sha256");
    TCase *tcase = tcase_create("sha256");
    tcase_add_test(tcase, vectors);
    tcase_add_test(tcase, million);
    tcase_add_test(tcase, edges);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
