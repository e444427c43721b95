/** Parse a URL, absolute or relative to a base. Returns undefined if it is invalid. */
export function parsedUrl(text: string, base?: string | URL): URL | undefined {
  // Not `URL.canParse`: in Node 20 and some versions of 22 it wrongly returns false for international names after many calls.
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Normalize a host name as browsers do. Returns an empty string if it is not a host name. */
export const hostnameOf = (host: string): string =>
  parsedUrl(`http://${host.includes('::') && !host.startsWith('[') ? `[${host}]` : host}`)?.hostname ?? '';
