/** The administrator key: the emulator starts with it, and the workers create worlds with it. */
export const adminKey = 'ak_for_tests_only';

/** The cookie password of the application. The workers also need it to sign users in without a browser. */
export const password = 'at least 32 characters, from a vault';
