import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { freePort } from '../frameworks/scripts.js';
import { requires } from '../runner/requirements.js';
import { read, walkedPage } from './markdown.js';
import { Project, packagesOfNext } from './walk/project.js';
import { type PlacedStep, stepsOf } from './walk/steps.js';
import { walk } from './walk/walk.js';

requires(
  'chromium-headless-shell',
  'node22',
  packagesOfNext,
)('a simulated reader', () => {
  let browser: Browser;
  let project: Project;
  let steps: readonly PlacedStep[];

  beforeAll(async () => {
    browser = await launchChromium();
    project = new Project({ 3000: await freePort(), 4100: await freePort() });
    steps = stepsOf(project.atItsPorts(read(walkedPage)));
  });
  afterAll(async () => {
    await project?.remove();
    await browser?.close();
  });

  test('gets the documented result at each step of docs/start.md', async () => {
    await walk(steps, project, browser);
  }, 600_000);

  test.each([
    ['a command that fails', '```sh\nnpx vitest run app/nowhere\n```', 'line 1:'],
    ['output that differs from the page', '```sh\nnpx vitest run\n```\n\n```text\n4 passed\n```', 'line 5:'],
    [
      'code that throws an error',
      'Write `e2e/reports.mjs`:\n\n```js\nthrow new Error();\n```\n\n```sh\nnode --test e2e/reports.mjs\n```',
      'line 7:',
    ],
  ])(
    'reports %s',
    async (_, page, message) => {
      await expect(walk(stepsOf(page), project, browser)).rejects.toThrow(message);
    },
    120_000,
  );
});
