import { expect, test } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { runAlone } from '../../transport/process.js';

/** Runs a process that closes its emulator after this code; returns its output and the seconds until it exits. */
async function closing(act: string): Promise<{ readonly said: string; readonly heldSeconds: number }> {
  const { stdout, stderr } = await runAlone(`
    import { subscribe } from 'node:diagnostics_channel';
    import { createServer } from 'node:net';
    import { createEmulator } from './src/emulator/index.js';
    const emulator = await createEmulator();
    await emulator.listen();
    const post = (path, body) => fetch(emulator.url + path, {
      method: 'POST',
      headers: { authorization: 'Bearer ' + emulator.credentials.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const say = (promise) => void promise.then((value) => console.log(value), ({ code, cause }) => console.log(code ?? cause.code));
    let after = () => {};
    ${act}
    const before = performance.now();
    await emulator.close();
    after();
    process.on('exit', () => console.log((performance.now() - before) / 1000));
  `);
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  return { said: lines.slice(0, -1).join('\n'), heldSeconds: Number(lines.at(-1)) };
}

takesLong('an emulator that closes', () => {
  test.each([
    ['never answers', ''],
    ['stops in the middle of the response', 'HTTP/1.1 200 OK\\r\\ncontent-length: 1000\\r\\n\\r\\nabc'],
  ])('does not wait for a delivery to a receiver that %s', async (_, answer) => {
    const { said, heldSeconds } = await closing(`
      // The receiver must not keep the process alive.
      const receiver = createServer((socket) => {
        socket.unref().on('error', () => {}).once('data', () => socket.write('${answer}', received));
      }).unref();
      let received;
      const delivery = new Promise((resolve) => { received = resolve; });
      await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      await post('/webhook_endpoints', { endpoint_url: 'http://127.0.0.1:' + receiver.address().port, events: [] });
      await post('/organizations', { name: 'Acme' });
      await delivery;
      console.log(emulator.deliveries[0].state);
    `);

    expect(said).toBe('pending');
    expect(heldSeconds).toBeLessThan(4);
  });

  test('ends a request that waits for a message, and lets the process exit', async () => {
    const { said, heldSeconds } = await closing(`
      const wait = async () => {
        const answer = await post('/_emulator/inbox/wait_for', {});
        return answer.status + ' ' + (await answer.json()).code;
      };
      const arrived = new Promise((resolve) => subscribe('http.server.request.start', resolve));
      say(wait());
      await arrived;
    `);

    expect(said).toBe('409 closed');
    expect(heldSeconds).toBeLessThan(4);
  });

  test('immediately rejects a later call that waits for a message', async () => {
    const { said, heldSeconds } = await closing('after = () => say(emulator.inbox.waitFor());');

    expect(said).toBe('closed');
    expect(heldSeconds).toBeLessThan(4);
  });

  test('stays closed after a reset that was still running', async () => {
    const { said, heldSeconds } = await closing(`
      const reset = emulator.reset();
      after = () => say(reset.then(() => emulator.inbox.waitFor()));
    `);

    expect(said).toBe('closed');
    expect(heldSeconds).toBeLessThan(4);
  });
});
