import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../command-error.js';
import { rangeOf } from '../frameworks.js';
import { packageManagerOf } from './package-manager.js';
import type { Project } from './wiring.js';

/** The files of Plug'n'Play, in which Yarn and pnpm write where packages are instead of filling `node_modules`. */
const plugAndPlayFiles = ['.pnp.cjs', '.pnp.js'];

/** Prints the version of a package that Plug'n'Play resolves. It can also read packages in zip files. */
const printVersion = `
const [name, folder] = process.argv.slice(1);
const { resolveToUnqualified } = require('pnpapi');
process.stdout.write(JSON.parse(require('fs').readFileSync(resolveToUnqualified(name, folder) + '/package.json', 'utf8')).version);
`;

/**
 * Find the major version of a package of a project: that of the installed package, as Node resolves it, or else that of its range.
 *
 * @throws {CommandError} It is not installed, and its range does not tell either.
 */
export function majorVersionOf({ folder, manifest }: Project, name: string): number {
  const range = rangeOf(manifest, name);
  const major = majorIn(installedVersion(folder, name)) ?? majorIn(range);
  if (major !== undefined) return major;
  const why = range === undefined ? 'package.json does not list it' : `package.json asks for ${JSON.stringify(range)}`;
  throw new CommandError(
    `init cannot tell the version of ${name}: it is not installed, and ${why}. What init writes depends on it. Run ${packageManagerOf(folder, manifest).name} install, and run init again.`,
  );
}

/** Look for a package in a folder and those above, as Node does. */
function installedVersion(folder: string, name: string, project = folder): string | undefined {
  const plugAndPlay = plugAndPlayFiles.map((file) => join(folder, file)).find((file) => existsSync(file));
  const found = (plugAndPlay && versionByPlugAndPlay(plugAndPlay, name, project)) ?? versionInModules(folder, name);
  const above = dirname(folder);
  return found ?? (above === folder ? undefined : installedVersion(above, name, project));
}

function versionInModules(folder: string, name: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

function versionByPlugAndPlay(file: string, name: string, project: string): string | undefined {
  try {
    return execFileSync(process.execPath, ['--require', file, '--eval', printVersion, name, `${project}/`], {
      cwd: project,
      // The hooks of another project, such as that of yarn dlx, would resolve in its place.
      env: { ...process.env, NODE_OPTIONS: '' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** A version, or a range that stays within one major version: `15.5.28`, `^15.5.0`, `~15.5`, `15.x`, `npm:next@^15.0.0`, `^15.4 || 15.x`. */
const versionPattern = /^(?:(?:workspace|npm):(?:(?:@[\w.-]+\/)?[\w.-]+@)?)?[\^~=v]*(\d+)(?:\.[\w.*+-]+)?$/;

/** Read the major version of a version or a range. Returns undefined for tags, catalogs, addresses and ranges that allow several. */
function majorIn(range: string | undefined): number | undefined {
  const majors = new Set((range ?? '').split('||').map((part) => versionPattern.exec(part.trim())?.[1]));
  const [major] = majors;
  return majors.size === 1 && major !== undefined ? Number(major) : undefined;
}
