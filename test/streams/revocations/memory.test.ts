import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { DenyList } from '../../../src/streams/revocations/deny-list.js';
import { takesLong } from '../../runner/requirements.js';

takesLong('the memory use of a deny list', () => {
  test('is less than 0.5 MB for 1,000 sessions, memberships or users', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const list = new DenyList(100_000);
    const at = Date.UTC(2026, 4, 4, 12);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;

    for (let number = 0; number < 33_000; number++) {
      // The ids are as long as real ones. Each is built from parts, like the strings of an answer.
      const name = `01HZX3V7Q8M2T4B6C8D${String(number).padStart(7, '0')}`;
      list.add({ kind: 'session', id: `session_${name}`, within: '', at });
      list.add({ kind: 'user', id: `user_${name}`, within: '', at });
      list.add({ kind: 'member', id: `user_${name}`, within: `org_${name}`, at });
    }
    collectGarbage();

    expect(list.size).toBe(99_000);
    expect((process.memoryUsage().heapUsed - before) / 99).toBeLessThan(500_000);
  });
});
