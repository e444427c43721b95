import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { runnable } from '../builds/runnable.js';
import { takesLong } from '../runner/requirements.js';
import { numbersFrom } from './property.js';

const events = 2_000;
const users = 50;

takesLong('a process that follows events and is killed at random moments', () => {
  test('loses none of 2,000 events', { timeout: 120_000 }, async () => {
    const number = numbersFrom(7);
    const programs = await runnable(['test/streams/kill-worker.ts']);
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-kill-'));
    const log = join(folder, 'log');
    const emulator = await createEmulator();
    const url = await emulator.listen();
    onTestFinished(async () => {
      await emulator.close();
      programs.remove();
      rmSync(folder, { recursive: true });
    });
    const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const ids: string[] = [];
    let changes = 0;
    /** Changes every user in turn; every fifth event appears late. */
    const make = async (count: number): Promise<void> => {
      for (const end = changes + count; changes < end; changes++) {
        const lastName = `${Math.floor(changes / users)}`;
        const userId = ids[changes % users];
        if (userId) await client.userManagement.updateUser({ userId, lastName });
        else ids.push((await client.userManagement.createUser({ email: `${changes}@acme.test`, lastName })).id);
      }
    };
    await emulator.faults.add({ of: 'events', delay: '2s', share: 0.2 });
    await make(events / 2);

    const handled = (): Set<string> => {
      const lines = readFileSync(log, { encoding: 'utf8', flag: 'a+' }).split('\n');
      return new Set(lines.filter((line) => line.includes(' ')));
    };
    let lives = 0;
    for (const endsAt = Date.now() + 100_000; handled().size < events && Date.now() < endsAt; lives++) {
      const args = [programs.file('kill-worker'), url, emulator.credentials.apiKey, join(folder, 'checkpoint'), log];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
      const ended = once(child, 'exit');
      if (changes < events) await make(100);
      await pause(300 + number() * 900);
      child.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
    }

    const expected = ids.flatMap((id) => Array.from({ length: events / users }, (_, at) => `${id} ${at}`));
    expect(lives).toBeGreaterThan(5);
    expect(expected.filter((line) => !handled().has(line))).toEqual([]);
  });
});
