// Bearer tokens, API keys and webhook secrets by prefix, sealed cookies, signed tokens. The lookbehind skips the second eyJ of a
// word and all after it: if the word is not a token from the first one, reading it again from each would take quadratic time.
const recognizable =
  /(?<=\bBearer )[^\s"',;]+|(?<![a-z])(?:sk|whsec)_[\w-]+|\bFe26\.2\*[^\s"',;]*|\beyJ(?<!\beyJ[\w-]*?eyJ)[\w-]+\.[\w-]+(?:\.[\w-]*)?/gi;

/** Maximum number of characters of untrusted text in a message. */
const maxQuotation = 500;

/** Mask a secret. Keys with a known prefix keep it and their last four characters; passwords and tokens keep nothing. */
export const mask = (secret: string): string => {
  const [, prefix = '', tail = ''] = /^(sk_|whsec_)(?:.{8,}(.{4})$)?/s.exec(secret) ?? [];
  return `${prefix}…${tail}`;
};

/** Mask everything in a text that looks like an API key, a webhook secret, a sealed cookie or a token. */
export const withoutRecognizable = (text: string): string => text.replace(recognizable, mask);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const inForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Ways to encode a text inside another: not at all, as JSON, as ASCII-only JSON, in a form, in a URL. */
const encodings: readonly ((text: string) => string)[] = [
  String,
  inJson,
  (text) => inJson(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  inForm,
  (text) => inForm(text).replaceAll('+', '%20'),
  // encodeURIComponent throws on unpaired surrogates.
  (text) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')),
];

/** Return all encodings of a secret in a text, up to two levels deep, such as a URL inside JSON. */
function formsOf(secret: string): Set<string> {
  const forms = encodings.flatMap((outer) => encodings.map((inner) => outer(inner(secret))));
  return new Set([...forms, ...forms.map((form) => form.replace(/%../g, (code) => code.toLowerCase()))]);
}

/** Removes secrets from a text. */
export type Redactor = (text: string) => string;

/** Make a function that masks one secret in all its encodings. */
function removerOf(secret: string): Redactor {
  const masked = mask(secret);
  // All encodings keep letters and digits, so a text without the secret's longest run of them cannot contain the secret.
  const [run = ''] = (secret.match(/[a-z\d]+/gi) ?? []).sort((a, b) => b.length - a.length);
  let patterns: readonly (string | RegExp)[] | undefined;
  return (text) => {
    if (!text.includes(run)) return text;
    patterns ??= [...formsOf(secret)].map((form) =>
      // Short secrets, such as one-time codes, are only masked as whole words, so that other words stay intact.
      secret.length < 4 ? new RegExp(`(?<!\\w)${escaped(form)}(?!\\w)`, 'g') : form,
    );
    return patterns.reduce<string>((clean, pattern) => clean.replaceAll(pattern, () => masked), text);
  };
}

/**
 * Make a function that masks these secrets in texts, and everything that looks like an API key, a webhook secret, a sealed cookie
 * or a token. All messages of this package go through such a function.
 */
export function redactor(secrets: Iterable<string>): Redactor {
  // Longest first, because a secret may contain another one.
  const removers = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .map(removerOf);
  return (text) => withoutRecognizable(removers.reduce((clean, remove) => remove(clean), text));
}

/** Mask these secrets in a text, and everything that looks like a secret. */
export const redact = (text: string, secrets: Iterable<string> = []): string => redactor(secrets)(text);

/** Make untrusted text safe to quote in a message: one line, at most 500 characters, no secrets, no control characters. */
export function quotable(text: string, secrets: Iterable<string> | Redactor = []): string {
  const clean = typeof secrets === 'function' ? secrets(text) : redact(text, secrets);
  const line = clean.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
  return line.length > maxQuotation ? `${line.slice(0, maxQuotation)}…` : line;
}
