interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly tell: () => void;
}

/** Who waits for a signal. Each signal has one listener of ours: Node 20 takes more than ten for a leak, and says so. */
const waiting = new WeakMap<AbortSignal, Waiting>();

/** Calls back when the signal aborts, unless that was taken back before, by the function returned. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
  let all = waiting.get(signal);
  if (!all) {
    const callbacks = new Set<() => void>();
    const tell = () => {
      for (const one of [...callbacks]) one();
    };
    all = { callbacks, tell };
    waiting.set(signal, all);
    signal.addEventListener('abort', all.tell, { once: true });
  }
  const { callbacks, tell } = all;
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', tell);
  };
}
