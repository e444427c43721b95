import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { alone, applicationsBeside, removeOld } from '../builds/cache.js';
import { unpack } from '../package/install.js';
import type { Framework } from './frameworks.js';
import { runScript } from './scripts.js';

const here = import.meta.dirname;

/** The folder of the example. */
export const exampleOf = ({ folder }: Framework): string => join(here, '../../examples/frameworks', folder);

/**
 * Builds an application with our package as users install it, and returns its folder. The folder is reused in
 * the next run: its name depends on its content.
 */
export async function application(framework: Framework): Promise<string> {
  const packageFolder = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  try {
    await unpack(packageFolder, { documents: false });
    const applications = applicationsOf(framework);
    const folder = join(applications, keyOf(framework, packageFolder));
    await alone(`${folder}.lock`, async () => {
      if (statSync(join(folder, done), { throwIfNoEntry: false })) {
        utimesSync(folder, new Date(), new Date());
        return;
      }
      removeOld(applications);
      rmSync(folder, { recursive: true, force: true });
      cpSync(exampleOf(framework), folder, { recursive: true });
      for (const [name, text] of Object.entries(framework.files ?? {}))
        if (text === null) rmSync(join(folder, name), { recursive: true });
        else {
          mkdirSync(dirname(join(folder, name)), { recursive: true });
          writeFileSync(join(folder, name), text);
        }
      cpSync(packageFolder, join(folder, 'node_modules/sallyport'), { recursive: true });
      await runScript(framework, folder, scriptsOf(folder)[framework.scripts?.build ?? 'build'] ?? 'true');
      writeFileSync(join(folder, done), '');
    });
    return folder;
  } finally {
    rmSync(packageFolder, { recursive: true, force: true });
  }
}

/** Marks a built application. */
const done = '.built';

/** The scripts of an application. */
export const scriptsOf = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts;

/** The folder for applications with the packages of a framework. */
function applicationsOf({ folder, installed = folder }: Framework): string {
  const wanted = join(here, 'installed', installed);
  const applications = applicationsBeside(join(wanted, 'node_modules'));
  if (
    readFileSync(join(applications, '../package-lock.json'), 'utf8') ===
    readFileSync(join(wanted, 'package-lock.json'), 'utf8')
  )
    return applications;
  throw new Error(`The packages of ${installed} are others than its package-lock.json says. Run test/install.`);
}

/** Hashes the content of an application. It cannot load the emulator and the command line of our package. */
function keyOf(framework: Framework, own: string): string {
  const hash = createHash('sha256').update(JSON.stringify([framework.runtime, framework.files, framework.scripts]));
  const add = (folder: string, counts: (file: string) => boolean = () => true): void => {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (counts(file) && statSync(join(folder, file)).isFile())
        hash
          .update(`${file}\n`)
          .update(readFileSync(join(folder, file)))
          .update('\n');
  };
  add(exampleOf(framework));
  add(own, (file) => /^package\.json$|^dist\/(?!(?:types\/)?(?:emulator|cli)\b).*\.(?:c?js|c?ts)$/.test(file));
  return hash.digest('hex').slice(0, 16);
}
