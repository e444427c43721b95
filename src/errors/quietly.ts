/** Calls a user's callback and ignores what it throws or rejects with. */
export function quietly(callback: () => unknown): void {
  (async () => callback())().catch(() => {});
}
