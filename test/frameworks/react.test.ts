import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requires } from '../requirements.js';
import { exampleOf } from './application.js';
import { type Framework, frameworks, needsOf } from './frameworks.js';
import { openStage } from './stage.js';
import { suiteOf } from './suite.js';

const needs = needsOf(frameworks.react);

requires(...needs)('the application on React', suiteOf(frameworks.react));

requires(...needs)('the application on React as it is while one develops', () => {
  const manifest = JSON.parse(readFileSync(join(exampleOf(frameworks.react), 'package.json'), 'utf8'));
  const build = 'NODE_ENV=development vite build --mode development';
  const developed: Framework = {
    ...frameworks.react,
    files: { 'package.json': JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, build } }) },
  };

  test('begins one sign-in and redeems its code once, although strict mode runs every effect twice', async () => {
    const { person, visitor, emulator, close } = await openStage(developed);
    try {
      const ada = await person();
      const tab = await visitor();
      const begun: string[] = [];
      tab.page.on('request', (request) => {
        if (request.url().startsWith(`${emulator.url}/user_management/authorize`)) begun.push(request.method());
      });

      await tab.opens('/account?from=mail');
      await tab.signsInAs(ada);

      await tab.reads(`${ada.email} in org_northwind may: docs:plan`);
      expect(begun).toEqual(['GET']);
      expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
      expect(tab.complaints).toEqual([]);
    } finally {
      await close();
    }
  });
});
