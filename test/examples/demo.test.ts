import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';

/** Starts the demo with --stay. Returns the URL of its console and a function that ends it. */
async function demoThatStays() {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/demo.ts', '--stay'], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const address = () => /The console is open at (http:\/\/\S+)\//.exec(printed)?.[1];
  while (address() === undefined && child.exitCode === null) await Promise.race([once(child.stdout, 'data'), exit]);
  return { url: address() ?? '', printed, interrupt: () => child.kill('SIGINT'), exit };
}

/** Returns the visible text of a page. */
const wordsOf = (page: string): string =>
  page
    .replace(/<(style|script).*?<\/\1>/gs, '')
    .replace(/<wbr>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

/** Texts that each console page must show. */
const seen: Readonly<Record<string, RegExp>> = {
  Overview: /checkout.* 22 users 4 organizations .* 2 messages/,
  Requests: /fga\.check/,
  Events: /connection\.activated/,
  Webhooks: /user\.created.*delivered/,
  Inbox: /frank@northwind\.test/,
  Users: /ada@northwind\.test/,
  Organizations: /Northwind Traders northwind\.test/,
  Directories: /Northwind people/,
  Authorization: /report:/,
  'Audit logs': /report\.exported/,
  Faults: /organizations\.delete/,
};

takesLong('the demo with --stay', () => {
  test('serves the console with data on every page until Ctrl+C is pressed', async () => {
    const demo = await demoThatStays();
    const open = async (path: string) => (await fetch(demo.url + path, { headers: { accept: 'text/html' } })).text();
    const overview = await open('/');
    const [, nav = ''] = /<nav aria-label="Console">(.*?)<\/nav>/s.exec(overview) ?? [];
    const places = [...nav.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, path = '', name = '']) => ({
      path,
      name: wordsOf(name).trim(),
    }));

    const empty: string[] = [];
    for (const { path, name } of places) if (!seen[name]?.test(wordsOf(await open(path)))) empty.push(name);
    const [, ada = ''] = /href="([^"]*\/users\/[^"]*)"[^>]*>ada@/.exec(await open('/_emulator/console/users')) ?? [];
    const person = wordsOf(await open(ada));
    demo.interrupt();

    expect(empty).toEqual([]);
    expect(places.map(({ name }) => name).sort()).toEqual(Object.keys(seen).sort());
    expect(person).toMatch(/Password Northwind Traders active.*\(totp\)/);
    expect(await demo.exit).toBe(0);
  }, 150_000);
});
