/** Calls whoever is told of something. That they fail is nobody else's business, also where they are an async function. */
export function quietly(tell: () => unknown): void {
  (async () => tell())().catch(() => {});
}
