import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { missingOf, requires } from '../runner/requirements.js';
import { freePort, type Project, projectOf, runners } from './project.js';

const chromium = () => {
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => missingOf(['chromium'], path).length === 0);
  return join(folder ?? '', 'chromium');
};

let project: Project | undefined;
afterAll(() => project?.remove());

requires('chromium', runners)('ten workers of Playwright', () => {
  test('each have their own world, in one emulator and one application', { timeout: 170_000 }, async () => {
    project = await projectOf('playwright');

    const printed = await project.run('playwright', ['test'], {
      CHROMIUM: chromium(),
      PORT: `${await freePort()}`,
      EMULATOR_PORT: `${await freePort()}`,
    });

    expect(printed).toContain('using 10 workers');
    expect(printed).toMatch(/11 passed/);
  });
});
