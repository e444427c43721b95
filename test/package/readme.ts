import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Installed } from './install.js';

const run = promisify(execFile);

/** Run the first code of the README with the installed package, in every kind of file. */
export const suiteOfReadme = (installed: () => Installed): void => {
  const firstBlock = (page: string, language: string): string =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(page, 'utf8'))?.[1] ?? '';
  const first = firstBlock('README.md', 'ts');
  const requires = firstBlock('docs/tour.md', 'js');
  const commonjs = `${requires}void (async () => {\n${first.replace(/^import .*\n/gm, '')}})();\n`;
  const tsx = ['--import', import.meta.resolve('tsx')];

  test.each([
    ['as an .mjs file', 'first.mjs', first, [], {}],
    ['as an .mts file', 'first.mts', first, tsx, {}],
    ['as a .js file in an ES module package', 'first.js', first, [], { type: 'module' }],
    ['as a .ts file in an ES module package', 'first.ts', first, tsx, { type: 'module' }],
    ['as a CommonJS file', 'first.cjs', commonjs, [], {}],
  ])(
    'runs %s',
    async (_, name, code, loader, manifest) => {
      const folder = `${installed().folder}/${name.replace('.', '-')}`;
      mkdirSync(folder);
      writeFileSync(`${folder}/package.json`, JSON.stringify(manifest));
      writeFileSync(`${folder}/${name}`, code);

      const { stdout } = await run(process.execPath, [...loader, `${folder}/${name}`], { timeout: 60_000 });

      expect(stdout.split('\n').slice(0, 2)).toEqual(['ada@acme.test', 'organization.created']);
    },
    60_000,
  );
};
