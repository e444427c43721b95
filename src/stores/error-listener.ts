const checked = new WeakSet<object>();

/** A client that emits events: a pool or client of `pg`, or a client of `redis`. */
interface Emitter {
  listenerCount?(event: 'error'): number;
}

/**
 * Warn if a client has no listener for `error`, because Node then ends the process when the client loses its connection. Call it when
 * the client is used: the first call checks it, after the application had time to add its listener.
 */
export function checkErrorListener(client: object): void {
  if (checked.has(client)) return;
  checked.add(client);
  if ((client as Emitter).listenerCount?.('error') !== 0) return;
  const { process } = globalThis as { process?: { emitWarning?(message: string, type: string): void } };
  process?.emitWarning?.(
    "A lost database connection would end this process, because the client has no listener: add client.on('error', console.error)",
    'SallyportWarning',
  );
}
