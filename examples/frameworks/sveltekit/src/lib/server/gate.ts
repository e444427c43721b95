/** Callbacks that wait for a POST to /stream/go. */
const waiting = new Set<() => void>();

export const opened = (): Promise<void> => new Promise((resolve) => waiting.add(resolve));

export function open(): void {
  for (const resolve of waiting) resolve();
  waiting.clear();
}
