// Whatever follows `Bearer`, API keys and webhook secrets by their prefixes, cookie seals, signed tokens.
const recognizable =
  /(?<=\bBearer )[^\s"',;]+|(?<![a-z])(?:sk|whsec)_[\w-]+|\bFe26\.2\*[^\s"',;]*|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/gi;

/** Most characters of a stranger's text that go into a message. */
const longestQuotation = 500;

/** A secret as it may be printed: of keys by their prefix enough to tell which one it is, of passwords and tokens nothing. */
export const mask = (secret: string): string => {
  const [, prefix = '', tail = ''] = /^(sk_|whsec_)(?:.{8,}(.{4})$)?/s.exec(secret) ?? [];
  return `${prefix}…${tail}`;
};

/** A text without whatever looks like an API key, a webhook secret, a sealed cookie or a token. */
export const withoutRecognizable = (text: string): string => text.replace(recognizable, mask);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A secret as it stands in a text: as it is, within JSON, within a form and within an address. */
function formsOf(secret: string): Set<string> {
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return new Set([secret, JSON.stringify(secret).slice(1, -1), form, form.replaceAll('+', '%20')]);
}

/**
 * A text without secrets: the given ones, and whatever looks like an API key, a webhook secret, a sealed cookie or a token.
 * Everything this package prints goes through here.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let clean = text;
  // The longest first: a secret that holds another one would otherwise be left in pieces.
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (!secret) continue;
    // A short secret, a one-time code say, is replaced only as a word: otherwise single letters would vanish everywhere.
    for (const form of formsOf(secret))
      clean =
        secret.length >= 4
          ? clean.replaceAll(form, () => mask(secret))
          : clean.replace(new RegExp(`(?<![\\w])${escaped(form)}(?![\\w])`, 'g'), '…');
  }
  return withoutRecognizable(clean);
}

/** A stranger's text as it may stand in a message: without secrets, on one line, not too long. */
export function quotable(text: string, secrets: Iterable<string> = []): string {
  const line = redact(text, secrets)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length > longestQuotation ? `${line.slice(0, longestQuotation)}…` : line;
}
