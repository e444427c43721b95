/** The last of those who use a connection. */
const tails = new WeakMap<object, Promise<unknown>>();

/** Uses a connection when everybody who came before is done: it has one transaction at a time. */
export function inTurn<Result>(connection: object, run: () => Promise<Result>): Promise<Result> {
  const turn = (tails.get(connection) ?? Promise.resolve()).then(run);
  tails.set(
    connection,
    turn.catch(() => {}),
  );
  return turn;
}
