import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { controlsPage, examples } from '../../scripts/controls-page.js';
import { administratorControls, controls } from '../../src/emulator/all-rooms.js';
import { namedControlsOf } from '../../src/emulator/server/control.js';
import { stage } from '../stage.js';

const page = (): string => readFileSync(new URL('../../docs/emulator-controls.md', import.meta.url), 'utf8');

test('docs/emulator-controls.md is up to date: `npm run docs` writes it', () => {
  expect(page()).toBe(controlsPage());
}, 60_000);

test('a control has its request, its call, its answer and its fields', () => {
  const [, section] = page().split('### createDirectoryUser\n');

  expect(section).toContain('- Over HTTP: `POST /_emulator/directory_users`\n');
  expect(section).toContain(
    '- In process: `emulator.createDirectoryUser(user: NewDirectoryUser): Promise<DirectoryUser>`\n',
  );
  expect(section).toContain('- Returns: `directory_user`\n');
  expect(section).toMatch(/\| `directory_id` \| text \| yes \| .+ \|/);
});

test('every control and each of its fields has a comment', () => {
  const rows = page().match(/^\| (?:`|\[`).+$/gm)!;

  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
});

const forAdministrators = namedControlsOf(administratorControls).map(({ name }) => name);

test.each(Object.entries(examples))(
  'the example of %s runs with the seed it names',
  async (name, { method, path, body }) => {
    const { emulator, send } = await stage({ seed: 'examples/company.yaml' });
    await send('POST /user_management/magic_auth/send', { email: 'ada@northwind.test' });

    const key = forAdministrators.includes(name) ? { authorization: `Bearer ${emulator.adminKey}` } : {};
    const answer = await send(`${method} ${path}`, body, key);

    expect(namedControlsOf({ ...controls, ...administratorControls }).map((one) => one.name)).toContain(name);
    expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([200, 'control']);
  },
);
