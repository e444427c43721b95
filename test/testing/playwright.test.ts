import { afterAll, expect, test } from 'vitest';
import { chromiumPath } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { freePort, type Project, projectOf, runners } from './project.js';

let project: Project | undefined;
afterAll(() => project?.remove());

requires('chromium-headless-shell', runners)('ten Playwright workers', () => {
  test('each use a separate world of one emulator', { timeout: 170_000 }, async () => {
    project = await projectOf('playwright');

    const printed = await project.run('playwright', ['test'], {
      CHROMIUM: chromiumPath(),
      PORT: `${await freePort()}`,
      EMULATOR_PORT: `${await freePort()}`,
    });

    expect(printed).toContain('using 10 workers');
    expect(printed).toMatch(/11 passed/);
  });
});
