/** What makes worlds: the emulator starts with it, and the workers show it. */
export const adminKey = 'ak_for_tests_only';

/** What the application seals its cookies with, and the workers those of people whom they sign in without a browser. */
export const password = 'at least 32 characters, from a vault';
