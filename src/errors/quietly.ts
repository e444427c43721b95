/** Call a user's callback and ignore what it throws or rejects with. */
export function quietly(callback: () => unknown): void {
  (async () => callback())().catch(() => {});
}
