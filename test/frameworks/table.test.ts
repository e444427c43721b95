import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exampleOf } from './application.js';
import { type Framework, frameworks } from './frameworks.js';

const here = import.meta.dirname;
const all: readonly Framework[] = Object.values(frameworks);
const dependenciesIn = (folder: string) => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { ...dependencies, ...devDependencies };
};

describe.each(all)('the application on $name', (framework) => {
  test('is tested with the packages that it asks for', () => {
    const { sallyport, ...others } = dependenciesIn(exampleOf(framework));

    expect(sallyport).toBe('^0.1.0');
    expect(Object.values(others).filter((version) => !/^\d+\.\d+\.\d+/.test(String(version)))).toEqual([]);
    if (!framework.installed) expect(dependenciesIn(join(here, 'installed', framework.folder))).toEqual(others);
  });

  test('has no lock and nothing that is generated', () => {
    expect(readdirSync(exampleOf(framework)).filter((name) => /lock|^dist$|^build$|^node_modules$/.test(name))).toEqual(
      [],
    );
  });
});
