import { utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import type { Send } from '../servers/send.js';
import { commandLine } from './programs.js';
import { emulators, stateFolder } from './state-programs.js';

const listening = emulators(commandLine());
const placeFor = stateFolder();

/** Spare the next emulator the five seconds until the lock of a killed one is stale. */
const expireLock = (state: string): void => utimesSync(`${state}.lock`, 0, 0);

takesLong('an emulator that is killed at any moment', () => {
  /** The names of all organizations, oldest first. */
  const namesIn = async (send: Send): Promise<string[]> => {
    const names: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const { body } = await send(`GET /organizations?order=asc&limit=100${after && `&after=${after}`}`);
      names.push(...body.data.map(({ name }: { readonly name: string }) => name));
      after = body.list_metadata.after as string | null;
    }
    return names;
  };

  test('leaves a valid state file that lacks at most the last second of changes', async () => {
    const state = placeFor('state');
    let known: string[] = [];
    for (let round = 0; round < 6; round++) {
      const { child, exit, send } = await listening('--state', state);
      const answered: { readonly name: string; readonly at: number }[] = [];
      const worker = async (n: number): Promise<void> => {
        for (let i = 0; ; i++) {
          const name = `${round} ${n} ${i} ${'x'.repeat(300)}`;
          const answer = await send('POST /organizations', { name }).catch(() => undefined);
          if (answer?.status !== 200) return;
          answered.push({ name, at: performance.now() });
        }
      };
      const workers = [1, 2, 3].map(worker);
      // Any six different moments are suitable.
      await new Promise((resolve) => setTimeout(resolve, 1_000 + 347 * round));
      const killedAt = performance.now();
      child.kill('SIGKILL');
      await Promise.all(workers);
      await exit;
      expireLock(state);

      const next = await listening('--state', state);
      const names = await namesIn(next.send);
      const safe = answered.filter(({ at }) => at < killedAt - 1_000).map(({ name }) => name);
      expect(names.slice(0, known.length)).toEqual(known);
      expect(safe.filter((name) => !names.includes(name))).toEqual([]);
      known = names;
      next.child.kill('SIGKILL');
      await next.exit;
      expireLock(state);
    }
    expect(known.length).toBeGreaterThan(100);
  }, 300_000);
});
