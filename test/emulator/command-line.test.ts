import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const start = (...args: string[]) => {
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { env: { ...process.env, NO_COLOR: '1' } });
  running.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.err += String(chunk);
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, output, exit };
};

/** Waits for the first thing a program prints. */
const started = async (...args: string[]) => {
  const program = start(...args);
  await Promise.race([once(program.child.stdout, 'data'), program.exit]);
  return program;
};

test.each(['SIGINT', 'SIGTERM'] as const)(
  'with --json it prints one line, serves, and stops cleanly on %s',
  async (signal) => {
    const { child, output, exit } = await started('emulator', '--port', '0', '--json');
    const lines = output.out.split('\n');
    const { url, apiKey, clientId } = JSON.parse(lines[0]!);

    const answer = await fetch(`${url}/organizations`, { headers: { authorization: `Bearer ${apiKey}` } });
    child.kill(signal);

    expect(lines).toHaveLength(2);
    expect(clientId).toBe('client_sallyport_emulator');
    expect(answer.status).toBe(200);
    expect(await exit).toBe(0);
    expect(output.err).toBe('');
  },
);

test('without --json it says where it is and how to point the client at it', async () => {
  const { output } = await started('emulator', '--port=0', '--dialect', 'workos');

  expect(output.out).toMatch(/export SALLYPORT_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/);
  expect(output.out).toContain('export SALLYPORT_API_KEY=sk_test_sallyport_emulator\n');
  expect(output.out).toContain('export SALLYPORT_CLIENT_ID=client_sallyport_emulator\n');
});

test('a port that is taken is an error with exit code 1', async () => {
  const first = await started('emulator', '--port', '0', '--json');
  const { port } = new URL(JSON.parse(first.output.out).url);

  const second = start('emulator', '--port', port);

  expect(await second.exit).toBe(1);
  expect(second.output.err).toContain(`cannot listen on 127.0.0.1:${port}`);
  expect(second.output.out).toBe('');
});

test.each([
  ['an unknown option', ['emulator', '--prot', '1'], '--prot'],
  ['an unknown command', ['emulate'], '"emulate"'],
  ['an option without a command', ['--port'], 'Say what to run'],
  ['a port that is none', ['emulator', '--port', '70000'], '"70000"'],
  ['an unknown dialect', ['emulator', '--dialect', 'klingon'], 'spec, workos'],
])('%s is an error with exit code 1', async (_what, args, names) => {
  const { output, exit } = start(...args);

  expect(await exit).toBe(1);
  expect(output.err).toContain(names);
  expect(output.err).not.toMatch(/\n\s+at /);
});

test('--version and --help answer and end well', async () => {
  const version = start('--version');
  const help = start('emulator', '--help');

  expect(await version.exit).toBe(0);
  expect(version.output.out).toContain('sallyport/0.1.0');
  expect(await help.exit).toBe(0);
  for (const option of ['--port', '--host', '--seed', '--dialect', '--json']) expect(help.output.out).toContain(option);
});
