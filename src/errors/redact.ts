// Everything behind `Bearer`, API keys and webhook secrets by their prefixes, cookie seals, signed tokens.
const recognizable =
  /(?<=\bBearer )[^\s"',;]+|(?<![a-z])(?:sk|whsec)_[\w-]+|\bFe26\.2\*[^\s"',;]*|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/gi;

/** Most characters of a stranger's text that go into a message. */
const longestQuotation = 500;

/** A secret as it may be printed: of keys by their prefix enough to tell which one it is, of passwords and tokens nothing. */
export const mask = (secret: string): string => {
  const [, prefix = '', tail = ''] = /^(sk_|whsec_)(?:.{8,}(.{4})$)?/s.exec(secret) ?? [];
  return `${prefix}…${tail}`;
};

/** A text without everything that looks like an API key, a webhook secret, a sealed cookie or a token. */
export const withoutRecognizable = (text: string): string => text.replace(recognizable, mask);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const inForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** How a text is written within another one: as it is, in JSON, in JSON of ASCII alone, in a form and in an address. */
const encodings: readonly ((text: string) => string)[] = [
  String,
  inJson,
  (text) => inJson(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  inForm,
  (text) => inForm(text).replaceAll('+', '%20'),
  // encodeURIComponent throws at half a character.
  (text) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')),
];

/** A secret in every form that a text may have it in, encoded up to twice: an address within JSON, or JSON within JSON. */
function formsOf(secret: string): Set<string> {
  const forms = encodings.flatMap((outer) => encodings.map((inner) => outer(inner(secret))));
  return new Set([...forms, ...forms.map((form) => form.replace(/%../g, (code) => code.toLowerCase()))]);
}

/** Removes secrets from a text. */
export type Redactor = (text: string) => string;

/** Removes one secret, whichever form it has in a text. */
function removerOf(secret: string): Redactor {
  const masked = mask(secret);
  // Every encoding leaves letters and digits alone, so a text without the longest run of them holds no form of the secret.
  const [run = ''] = (secret.match(/[a-z\d]+/gi) ?? []).sort((a, b) => b.length - a.length);
  let patterns: readonly (string | RegExp)[] | undefined;
  return (text) => {
    if (!text.includes(run)) return text;
    patterns ??= [...formsOf(secret)].map((form) =>
      // A short secret, such as a one-time code, is removed only as a word: otherwise single letters would vanish everywhere.
      secret.length < 4 ? new RegExp(`(?<!\\w)${escaped(form)}(?!\\w)`, 'g') : form,
    );
    return patterns.reduce<string>((clean, pattern) => clean.replaceAll(pattern, () => masked), text);
  };
}

/**
 * Make a function that removes these secrets from texts, and everything that looks like an API key, a webhook secret, a sealed
 * cookie or a token. Everything this package prints goes through such a function.
 */
export function redactor(secrets: Iterable<string>): Redactor {
  // The longest first: a secret that holds another one would otherwise be left in pieces.
  const removers = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .map(removerOf);
  return (text) => withoutRecognizable(removers.reduce((clean, remove) => remove(clean), text));
}

/** A text without these secrets, and without everything that looks like one. */
export const redact = (text: string, secrets: Iterable<string> = []): string => redactor(secrets)(text);

/** Quote foreign text in a message: without secrets, on one line, at most 500 characters and free of control characters. */
export function quotable(text: string, secrets: Iterable<string> | Redactor = []): string {
  const clean = typeof secrets === 'function' ? secrets(text) : redact(text, secrets);
  const line = clean.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
  return line.length > longestQuotation ? `${line.slice(0, longestQuotation)}…` : line;
}
