import colors from 'picocolors';
import type { RequestRecord } from 'sallyport';

interface Row {
  readonly what: string;
  readonly requests: number;
  readonly ms: number;
  readonly result: string;
}

/** Counts the requests and the time of each step, and prints them as a table. */
export class Report {
  readonly #rows: Row[] = [];
  #requests = 0;

  /** A hook for the client: counts every attempt. */
  readonly onRequest = (_: RequestRecord): void => {
    this.#requests += 1;
  };

  /** A `fetch` that counts requests, for code without hooks. */
  readonly fetch: typeof fetch = (input, init) => {
    this.#requests += 1;
    return fetch(input, init);
  };

  /** Run a step. The table shows the text that it returns. */
  async step(what: string, run: () => Promise<string>): Promise<void> {
    console.log(`\n${colors.bold(what)}`);
    const before = this.#requests;
    const began = performance.now();
    const result = await run();
    this.#rows.push({ what, requests: this.#requests - before, ms: performance.now() - began, result });
  }

  print(): void {
    const widest = Math.max(...this.#rows.map(({ what }) => what.length));
    console.log(`\n${colors.bold('Step'.padEnd(widest))}  requests      ms  result`);
    for (const { what, requests, ms, result } of this.#rows)
      console.log(`${what.padEnd(widest)}  ${String(requests).padStart(8)}  ${ms.toFixed(0).padStart(6)}  ${result}`);
    const total = this.#rows.reduce((sum, { ms }) => sum + ms, 0);
    console.log(`${'Total'.padEnd(widest)}  ${String(this.#requests).padStart(8)}  ${total.toFixed(0).padStart(6)}`);
  }
}

/** Print a claim with a check mark, or throw if it is false. */
export function check(claim: string, holds: boolean): void {
  if (!holds) throw new Error(`Check failed: ${claim}.`);
  console.log(`${colors.green('✓')} ${claim}`);
}

/** Wait until a condition is true. @throws It is still false after a minute. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('The demo timed out after one minute.');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
