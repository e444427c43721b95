interface Subscription {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

/** Callbacks by signal. We add one listener per signal, because Node 20 warns of a leak after ten. */
const subscriptions = new WeakMap<AbortSignal, Subscription>();

/** Return the reason of an aborted signal. Signals of the package abort-controller and of React Native have none. */
export function abortReason({ reason }: { readonly reason?: unknown } = {}): unknown {
  return reason === undefined ? Object.assign(new Error('The operation was aborted'), { name: 'AbortError' }) : reason;
}

/** Call back when the signal aborts. Returns a function that unsubscribes. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
  let subscription = subscriptions.get(signal);
  if (!subscription) {
    const callbacks = new Set<() => void>();
    const notify = () => {
      for (const one of [...callbacks]) one();
    };
    subscription = { callbacks, notify };
    subscriptions.set(signal, subscription);
    signal.addEventListener('abort', notify, { once: true });
  }
  const { callbacks, notify } = subscription;
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    subscriptions.delete(signal);
    signal.removeEventListener('abort', notify);
  };
}
