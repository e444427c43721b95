/** The last queued operation of each connection. */
const tails = new WeakMap<object, Promise<unknown>>();

/** Run operations on a connection one after another, because a connection has one transaction at a time. */
export function serialize<Result>(connection: object, run: () => Promise<Result>): Promise<Result> {
  const turn = (tails.get(connection) ?? Promise.resolve()).then(run);
  tails.set(
    connection,
    turn.catch(() => {}),
  );
  return turn;
}
