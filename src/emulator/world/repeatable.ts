import { redact } from '../../errors/index.js';

/** What stands where a secret belongs, in a path, a query or a form: `/by_token/…`, `?code=…`. */
const named = /(?<=(?:token|code|secret|password|key|verifier)(?:=|\/))[^\s&#/"',;]+/gi;

/** What looks like a token or a code of the emulator's own. */
const made = /(?<!\w)(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z\d]{20,}(?!\w)|(?<=")\d{6}(?=")/g;

/** A message that repeats what a request says, without secrets. */
export const repeatable = (message: string): string => redact(message).replace(named, '…').replace(made, '…');
