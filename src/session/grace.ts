import { bounded } from './bounded.js';

interface Flight {
  readonly outcome: Promise<unknown>;
  /** When the outcome had come, in milliseconds since 1970, and for how long from then it is handed out. */
  came?: { readonly at: number; readonly keptMs: number };
}

/** Most outcomes that are kept, a few kilobytes each; the oldest go first. */
const mostKept = 10_000;

/** By the function that fetches: an emulator's own `fetch` reaches another service at the same address. */
let byFetch: WeakMap<object, Map<string, Flight>> | undefined;

/** How an outcome is shared. */
export interface Sharing<Outcome> {
  /** The function that fetches. */
  readonly fetcher: object;
  readonly now: () => number;
  /** Milliseconds for which an outcome is handed out after it has come. */
  readonly keepMs: (outcome: Outcome) => number;
  /** Milliseconds to wait for somebody else's outcome. */
  readonly waitMs: number;
}

/**
 * The outcome of `run`, which is shared in this process by all who ask under the same key while it is under way, and kept
 * for a while after it. `run` must not reject.
 */
export async function shared<Outcome>(
  key: string,
  { fetcher, now, keepMs, waitMs }: Sharing<Outcome>,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  byFetch ??= new WeakMap();
  const flights = byFetch.get(fetcher) ?? new Map<string, Flight>();
  byFetch.set(fetcher, flights);
  for (const [name, { came }] of flights)
    if (flights.size > mostKept || (came && !(now() >= came.at && now() < came.at + came.keptMs))) flights.delete(name);

  const known = flights.get(key);
  if (known)
    try {
      // The same key always stands for the same kind of outcome.
      return (await bounded(waitMs, () => known.outcome)) as Outcome;
    } catch {
      // Some runtimes drop what a request has begun together with the request: it will never come.
      if (flights.get(key) === known) flights.delete(key);
    }
  const flight: Flight = { outcome: run() };
  flights.set(key, flight);
  // What was put there is what comes out.
  const outcome = (await flight.outcome) as Outcome;
  flight.came = { at: now(), keptMs: keepMs(outcome) };
  return outcome;
}
