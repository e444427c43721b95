// Makes a release on this machine: `npm run release -- 0.2.0`. On a clean main it sets the version, dates the section of the
// changelog, runs the tests and a rehearsal of `npm publish`, commits and tags. It pushes and publishes nothing; what is left to
// do is printed at the end.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where the project stands before a release. */
export interface Standing {
  readonly branch: string;
  /** What `git status --porcelain` prints. */
  readonly changes: string;
  readonly tags: readonly string[];
  readonly manifest: Manifest;
  readonly changelog: string;
  readonly readme: string;
}

/** The part of package.json that a release reads. */
export interface Manifest {
  readonly version: string;
  readonly homepage?: string;
  readonly repository?: { readonly url?: string };
  readonly bugs?: { readonly url?: string };
}

/** Stands for the owner of the repository until there is one. */
const placeholder = /\bOWNER\b/;

const numbersOf = (version: string): readonly number[] | undefined => {
  const found = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  return found?.slice(1).map(Number);
};

const isBelow = (version: string, other: string): boolean => {
  const theirs = numbersOf(other) ?? [];
  const at = numbersOf(version)?.findIndex((number, place) => number !== theirs[place]) ?? -1;
  return at >= 0 && numbersOf(version)![at]! < (theirs[at] ?? 0);
};

/** The heading of what is not released yet: `## [Unreleased]`, or `## [0.2.0] - Unreleased` with the version to come. */
const unreleased = /^## (?:\[Unreleased\]|\[(\d[^\]]*)\] - Unreleased)$/m;

/** Everything that stands in the way of releasing this version; each says what to do about it. */
export function obstacles(version: string, { branch, changes, tags, manifest, changelog, readme }: Standing): string[] {
  const found: string[] = [];
  const report = (stands: boolean | null | undefined, message: string) => void (stands && found.push(message));

  report(!numbersOf(version), `"${version}" must be a version of three numbers, such as 0.2.0`);
  report(
    isBelow(version, manifest.version),
    `${version} must not be below ${manifest.version}, which package.json has`,
  );
  report(
    tags.includes(`v${version}`),
    `the tag v${version} exists: ${version} has been released. Choose the next version`,
  );
  report(
    branch !== 'main',
    `releases are made on main, not on ${branch || 'a commit without a branch'}. Run: git switch main`,
  );
  report(changes !== '', `there are changes that are not committed. Commit or stash them:\n${changes}`);
  for (const [field, address] of [
    ['repository', manifest.repository?.url],
    ['bugs', manifest.bugs?.url],
    ['homepage', manifest.homepage],
  ] as const)
    report(
      !address || placeholder.test(address),
      `"${field}" in package.json must be the address of the repository, not ${address ?? 'absent'}. Put its owner in the place of OWNER`,
    );
  report(
    placeholder.test(readme),
    'README.md has pictures at an address with OWNER. Put the owner of the repository in the place of OWNER',
  );
  const heading = unreleased.exec(changelog);
  report(!heading, 'CHANGELOG.md has no section "## [Unreleased]". Write what changes for users');
  report(
    heading?.[1] !== undefined && heading[1] !== version,
    `CHANGELOG.md announces ${heading?.[1]}, not ${version}. Correct one of them`,
  );
  report(
    heading && !/^- /m.test(sectionAt(changelog, heading.index)),
    'the section of CHANGELOG.md that is to be released has no entry. Write what changes for users',
  );
  return found;
}

const sectionAt = (changelog: string, start: number): string => changelog.slice(start).split(/\n(?=## )/)[0] ?? '';

/** The changelog with the section to release dated, and a new one above it where it was called `[Unreleased]`. */
export const datedChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(unreleased, (_, announced?: string) =>
    announced ? `## [${version}] - ${date}` : `## [Unreleased]\n\n## [${version}] - ${date}`,
  );

/** A JSON file of npm's with this version; `package-lock.json` says it twice. */
export function withVersion(json: string, version: string): string {
  const content = JSON.parse(json);
  content.version = version;
  if (content.packages?.['']) content.packages[''].version = version;
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `src/version.ts` with this version. @throws {Error} It does not say any. */
export function sourceWithVersion(source: string, version: string): string {
  const changed = source.replace(/(export const version = ')[^']*'/, `$1${version}'`);
  if (!changed.includes(`version = '${version}'`)) throw new Error('src/version.ts says no version');
  return changed;
}

/** What a release needs of its surroundings. */
export interface Surroundings {
  readonly folder: string;
  /** The day, as `2026-11-22`. */
  readonly date: string;
  /** Runs a command of npm's in the folder, its output shown. @throws It fails. */
  npm(...args: string[]): void;
  say(line: string): void;
}

/** Makes the release, or says what stands in its way; gives the exit code. */
export function release(version: string, { folder, date, npm, say }: Surroundings): number {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const manifest: Manifest = JSON.parse(read('package.json'));
  const found = obstacles(version, {
    branch: git('branch', '--show-current'),
    changes: git('status', '--porcelain'),
    tags: git('tag', '--list').split('\n'),
    manifest,
    changelog: read('CHANGELOG.md'),
    readme: read('README.md'),
  });
  if (found.length > 0) {
    say(`Cannot release ${version}:`);
    for (const one of found) say(`- ${one}`);
    return 1;
  }

  const files = {
    'package.json': withVersion(read('package.json'), version),
    'package-lock.json': withVersion(read('package-lock.json'), version),
    'src/version.ts': sourceWithVersion(read('src/version.ts'), version),
    'CHANGELOG.md': datedChangelog(read('CHANGELOG.md'), version, date),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  try {
    npm('test');
    npm('publish', '--provenance', '--dry-run');
  } catch {
    git('checkout', '--', ...Object.keys(files));
    say(`Not released: the command above failed. ${Object.keys(files).join(', ')} are as they were.`);
    return 1;
  }
  git('commit', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
  say(`Committed and tagged v${version}; nothing is pushed or published. If .ci/run passes here too:`);
  say('  git push --follow-tags');
  say('  npm publish --provenance    # where the package is published from: provenance needs a workflow that can sign');
  return 0;
}

function main(): void {
  const folder = process.cwd();
  process.exitCode = release(process.argv[2] ?? '', {
    folder,
    date: new Date().toISOString().slice(0, 10),
    npm: (...args) => execFileSync('npm', args, { cwd: folder, stdio: 'inherit' }),
    say: (line) => console.log(line),
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
