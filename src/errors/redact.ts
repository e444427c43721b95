const recognizable: readonly RegExp[] = [
  // API keys and webhook secrets by their prefixes, cookie seals, signed tokens, and whatever follows `Bearer`.
  /\b(?:sk|whsec)_[A-Za-z0-9_-]+/g,
  /\bFe26\.2\*[^\s"',;]*/g,
  /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g,
  /(?<=\bBearer )[^\s"',;]+/gi,
];

/** A secret as it may be printed: enough to tell which one it is, not enough to use it. */
export const mask = (secret: string): string => {
  const prefix = /^(?:sk|whsec)_/.exec(secret)?.[0] ?? '';
  return secret.length - prefix.length >= 12 ? `${prefix}…${secret.slice(-4)}` : `${prefix}…`;
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * A text without secrets: the given ones, and whatever looks like an API key, a webhook secret, a sealed cookie or a token.
 * Everything this package prints goes through here.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (!secret) continue;
    // A short secret, a one-time code say, is replaced only as a word: otherwise single letters would vanish everywhere.
    clean =
      secret.length >= 4
        ? clean.replaceAll(secret, () => mask(secret))
        : clean.replace(new RegExp(`(?<![\\w])${escaped(secret)}(?![\\w])`, 'g'), '…');
  }
  for (const pattern of recognizable) clean = clean.replace(pattern, mask);
  return clean;
}
