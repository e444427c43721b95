import { redact } from '../../errors/index.js';

/** Values of fields that hold secrets, in a path, a query or a form: `/by_token/…`, `?code=…`. */
const named = /(?<=(?:token|code|secret|password|key|verifier)(?:=|\/))[^\s&#/"',;]+/gi;

/** Values that look like the emulator's tokens and codes. */
const generated = /(?<!\w)(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z\d]{20,}(?!\w)|(?<=")\d{6}(?=")/g;

/** Remove from a text what has the form of a secret, or follows the name of one in a URL. */
export const redactNamed = (text: string): string => redact(text).replace(named, '…');

/** Remove secrets from a message that quotes a request. */
export const redactSecrets = (message: string): string => redactNamed(message).replace(generated, '…');
