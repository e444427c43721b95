import colors from 'picocolors';
import type { RequestRecord } from 'sallyport';

interface Row {
  readonly what: string;
  readonly requests: number;
  readonly ms: number;
  readonly result: string;
}

/** Counts requests and time step by step, and ends the demo with a table of them. */
export class Report {
  readonly #rows: Row[] = [];
  #requests = 0;

  /** For the client's `hooks`: every request of every attempt is counted. */
  readonly onRequest = (_: RequestRecord): void => {
    this.#requests += 1;
  };

  /** For what has no hooks: a `fetch` that counts its requests. */
  readonly fetch: typeof fetch = (input, init) => {
    this.#requests += 1;
    return fetch(input, init);
  };

  /** Does one step; what it returns is said of it in the table. */
  async step(what: string, run: () => Promise<string>): Promise<void> {
    console.log(`\n${colors.bold(what)}`);
    const before = this.#requests;
    const began = performance.now();
    const result = await run();
    this.#rows.push({ what, requests: this.#requests - before, ms: performance.now() - began, result });
  }

  print(): void {
    const widest = Math.max(...this.#rows.map(({ what }) => what.length));
    console.log(`\n${colors.bold('What was done'.padEnd(widest))}  requests      ms  result`);
    for (const { what, requests, ms, result } of this.#rows)
      console.log(`${what.padEnd(widest)}  ${String(requests).padStart(8)}  ${ms.toFixed(0).padStart(6)}  ${result}`);
    const total = this.#rows.reduce((sum, { ms }) => sum + ms, 0);
    console.log(`${'Together'.padEnd(widest)}  ${String(this.#requests).padStart(8)}  ${total.toFixed(0).padStart(6)}`);
  }
}

/** Something the demo shows has to be true: otherwise it ends with an error. */
export function check(claim: string, holds: boolean): void {
  if (!holds) throw new Error(`The demo claims that ${claim}, and that is not so.`);
  console.log(`${colors.green('✓')} ${claim}`);
}

/** Waits until something holds that is on its way. @throws It takes longer than a minute. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('The demo waited for a minute, and what it waited for did not come.');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
