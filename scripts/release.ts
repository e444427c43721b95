// Prepares a release on this machine: `npm run release -- 0.2.0`. On a clean main branch it sets the version, dates the changelog,
// runs the tests and `npm publish --dry-run`, commits and tags. It does not push or publish, and prints the remaining steps.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The state of the project before a release. */
export interface Standing {
  readonly branch: string;
  /** Output of `git status --porcelain`. */
  readonly changes: string;
  readonly tags: readonly string[];
  readonly manifest: Manifest;
  readonly changelog: string;
  readonly readme: string;
  /** The links of the issue forms, `.github/ISSUE_TEMPLATE/config.yml`. */
  readonly issueLinks: string;
}

/** The parts of package.json that a release uses. */
export interface Manifest {
  readonly version: string;
  readonly homepage?: string;
  readonly repository?: { readonly url?: string };
  readonly bugs?: { readonly url?: string };
}

/** Placeholder for the owner of the repository. */
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

/** The heading of unreleased changes: `## [Unreleased]`, or `## [0.2.0] - Unreleased` if the next version is known. */
const unreleased = /^## (?:\[Unreleased\]|\[(\d[^\]]*)\] - Unreleased)$/m;

/** List the reasons why this version cannot be released, and how to fix each. */
export function obstacles(
  version: string,
  { branch, changes, tags, manifest, changelog, readme, issueLinks }: Standing,
): string[] {
  const found: string[] = [];
  const report = (applies: boolean | null | undefined, message: string) => void (applies && found.push(message));

  report(!numbersOf(version), `"${version}" must be a version of three numbers, such as 0.2.0`);
  report(isBelow(version, manifest.version), `${version} must not be lower than ${manifest.version} in package.json`);
  report(
    tags.includes(`v${version}`),
    `the tag v${version} exists, so ${version} was already released. Choose the next version`,
  );
  report(
    branch !== 'main',
    `releases must be made on main, not on ${branch || 'a commit without a branch'}. Run: git switch main`,
  );
  report(changes !== '', `there are uncommitted changes. Commit or stash them:\n${changes}`);
  for (const [field, address] of [
    ['repository', manifest.repository?.url],
    ['bugs', manifest.bugs?.url],
    ['homepage', manifest.homepage],
  ] as const)
    report(
      !address || placeholder.test(address),
      `"${field}" in package.json must be the URL of the repository, not ${address ?? 'missing'}. Replace OWNER with the owner of the repository`,
    );
  report(
    placeholder.test(readme),
    'README.md has image URLs with OWNER. Replace OWNER with the owner of the repository',
  );
  report(
    placeholder.test(issueLinks),
    '.github/ISSUE_TEMPLATE/config.yml has URLs with OWNER. Replace OWNER with the owner of the repository',
  );
  const heading = unreleased.exec(changelog);
  report(!heading, 'CHANGELOG.md has no section "## [Unreleased]". Write what changes for users');
  report(
    heading?.[1] !== undefined && heading[1] !== version,
    `CHANGELOG.md announces ${heading?.[1]}, not ${version}. Correct one of them`,
  );
  report(
    heading && !/^- /m.test(sectionAt(changelog, heading.index)),
    'the unreleased section of CHANGELOG.md is empty. Write what changes for users',
  );
  return found;
}

const sectionAt = (changelog: string, start: number): string => changelog.slice(start).split(/\n(?=## )/)[0] ?? '';

/** Date the unreleased section of the changelog. If it was called `[Unreleased]`, add a new one above it. */
export const datedChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(unreleased, (_, announced?: string) =>
    announced ? `## [${version}] - ${date}` : `## [Unreleased]\n\n## [${version}] - ${date}`,
  );

/** Set the version in package.json or package-lock.json, which contains it twice. */
export function withVersion(json: string, version: string): string {
  const content = JSON.parse(json);
  content.version = version;
  if (content.packages?.['']) content.packages[''].version = version;
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Set the version in the text of `src/version.ts`. @throws {Error} The text contains no version. */
export function sourceWithVersion(source: string, version: string): string {
  const changed = source.replace(/(export const version = ')[^']*'/, `$1${version}'`);
  if (!changed.includes(`version = '${version}'`)) throw new Error('src/version.ts contains no version');
  return changed;
}

/** The environment of a release. */
export interface ReleaseContext {
  readonly folder: string;
  /** Today's date, such as `2026-11-22`. */
  readonly date: string;
  /** Run an npm command in the folder, with visible output. @throws The command fails. */
  npm(...args: string[]): void;
  say(line: string): void;
}

/** Prepare the release, or print why that is not possible. Returns the exit code. */
export function release(version: string, { folder, date, npm, say }: ReleaseContext): number {
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
    issueLinks: read('.github/ISSUE_TEMPLATE/config.yml'),
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
    say(`Not released: the command above failed. ${Object.keys(files).join(', ')} were restored.`);
    return 1;
  }
  git('commit', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
  say(`Committed and tagged v${version}. Nothing was pushed or published. If .ci/run passes here too, run:`);
  say('  git push --follow-tags    # the release workflow then runs all checks and publishes');
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
