import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scriptFile, scriptModule } from '../../../scripts/console-script.js';
import { consoleScript } from '../../../src/emulator/console/script.js';

test("the console's script is up to date (`npm run docs` updates it)", () => {
  expect(readFileSync(scriptFile, 'utf8')).toBe(scriptModule());
});

test("the console's script imports nothing, and contains no markup that would end the script element early", () => {
  expect(consoleScript).toContain('new EventSource(');
  expect(consoleScript).not.toMatch(/<\/script|<!--|\b(?:import|require)\(|\b__name\b/);
});
