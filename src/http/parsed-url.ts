/** The address that a text stands for, on its own or seen from another one; undefined when it stands for none. */
export function parsedUrl(text: string, base?: string | URL): URL | undefined {
  // Not `URL.canParse`: on Node 20 and some 22 it answers false for international names once it has been called often.
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
