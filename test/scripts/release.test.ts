import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  datedChangelog,
  obstacles,
  release,
  type Standing,
  sourceWithVersion,
  withVersion,
} from '../../scripts/release.js';

const changelog = `# Changelog

## [Unreleased]

### Added

- Shelves.

## [0.1.0] - 2026-01-02

- Books.
`;
const manifest = {
  name: 'library',
  version: '0.1.0',
  repository: { type: 'git', url: 'git+https://github.com/ada/library.git' },
  bugs: { url: 'https://github.com/ada/library/issues' },
  homepage: 'https://github.com/ada/library#readme',
};
const ready: Standing = {
  branch: 'main',
  changes: '',
  tags: ['v0.1.0'],
  manifest,
  changelog,
  readme: '# Library',
  issueLinks: 'blank_issues_enabled: false',
};

describe('a release', () => {
  test.each(['0.1.1', '0.2.0', '0.10.0', '1.0.0'])('after 0.1.0 can have the version %s', (version) => {
    expect(obstacles(version, ready)).toEqual([]);
  });

  test('of the version in package.json is allowed until a tag for that version exists', () => {
    const first = { ...ready, changelog: changelog.replace('[Unreleased]', '[0.1.0] - Unreleased') };

    expect(obstacles('0.1.0', { ...first, tags: [] })).toEqual([]);
    expect(obstacles('0.1.0', first)).toEqual([expect.stringContaining('the tag v0.1.0 exists')]);
  });

  test.each<[string, string, Partial<Standing>, string]>([
    ['without a version', '', {}, '"" must be a version of three numbers'],
    ['with a letter in the version', 'v0.2.0', {}, '"v0.2.0" must be a version of three numbers'],
    ['with a lower version', '0.0.9', {}, '0.0.9 must not be lower than 0.1.0'],
    ['on a branch other than main', '0.2.0', { branch: 'shelves' }, 'made on main, not on shelves'],
    ['without a branch', '0.2.0', { branch: '' }, 'not on a commit without a branch'],
    ['with uncommitted changes', '0.2.0', { changes: ' M src/books.ts' }, 'M src/books.ts'],
    [
      'with the placeholder OWNER in the README',
      '0.2.0',
      { readme: '<img src="https://raw.githubusercontent.com/OWNER/library/HEAD/a.webp">' },
      'README.md has image URLs with OWNER',
    ],
    [
      'with the placeholder OWNER in the issue forms',
      '0.2.0',
      { issueLinks: 'url: https://github.com/OWNER/library/security' },
      'config.yml has URLs with OWNER',
    ],
    [
      'with the placeholder OWNER in the repository URL',
      '0.2.0',
      { manifest: { ...manifest, repository: { url: 'git+https://github.com/OWNER/library.git' } } },
      '"repository" in package.json must be the URL of the repository, not git+https://github.com/OWNER/library.git',
    ],
    ['without a URL for bug reports', '0.2.0', { manifest: { ...manifest, bugs: {} } }, '"bugs" in package.json'],
    [
      'with the placeholder OWNER in the homepage URL',
      '0.2.0',
      { manifest: { ...manifest, homepage: 'https://github.com/OWNER/library#readme' } },
      '"homepage" in package.json',
    ],
    [
      'without an Unreleased section in the changelog',
      '0.2.0',
      { changelog: '# Changelog\n' },
      'no section "## [Unreleased]"',
    ],
    [
      'with a version that differs from the changelog',
      '0.2.0',
      { changelog: changelog.replace('[Unreleased]', '[0.3.0] - Unreleased') },
      'announces 0.3.0, not 0.2.0',
    ],
    [
      'with an empty section in the changelog',
      '0.2.0',
      { changelog: changelog.replace('- Shelves.', '') },
      'section of CHANGELOG.md is empty',
    ],
  ])('%s is rejected', (_, version, standing, message) => {
    expect(obstacles(version, { ...ready, ...standing })).toContainEqual(expect.stringContaining(message));
  });

  test('of Sallyport is accepted once OWNER is replaced in package.json', () => {
    const own = JSON.parse(readFileSync('package.json', 'utf8').replaceAll('OWNER', 'ada'));

    expect(obstacles('9.0.0', { ...ready, manifest: own })).toEqual([]);
  });
});

describe('a release', () => {
  test('adds a dated section to the changelog below a new Unreleased section', () => {
    expect(datedChangelog(changelog, '0.2.0', '2026-11-22')).toContain(
      '\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n### Added\n\n- Shelves.\n\n## [0.1.0] - 2026-01-02\n',
    );
  });

  test('of an announced version adds only a date to the changelog', () => {
    const announced = changelog.replace('[Unreleased]', '[0.2.0] - Unreleased');

    expect(datedChangelog(announced, '0.2.0', '2026-11-22')).toBe(
      changelog.replace('[Unreleased]', '[0.2.0] - 2026-11-22'),
    );
  });
});

test('the release script replaces the version only in the lock file, package.json and the source', () => {
  const lock =
    '{\n  "version": "0.1.0",\n  "packages": {\n    "": {\n      "version": "0.1.0"\n    },\n    "node_modules/a": {\n      "version": "0.1.0"\n    }\n  }\n}\n';

  expect(withVersion(lock, '0.2.0')).toBe(lock.replace('0.1.0', '0.2.0').replace('0.1.0', '0.2.0'));
  expect(withVersion('{\n  "name": "library",\n  "version": "0.1.0"\n}\n', '0.2.0')).toBe(
    '{\n  "name": "library",\n  "version": "0.2.0"\n}\n',
  );
  expect(sourceWithVersion("/** It. */\nexport const version = '0.1.0';\n", '0.2.0')).toBe(
    "/** It. */\nexport const version = '0.2.0';\n",
  );
  expect(() => sourceWithVersion('export const edition = 1;', '0.2.0')).toThrow('contains no version');
});

describe('the release script', () => {
  /** A repository with one commit, and the effects and output of a release in it. */
  function repository() {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-release-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    mkdirSync(join(folder, 'src'));
    write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
    write(
      'package-lock.json',
      `${JSON.stringify({ version: '0.1.0', packages: { '': { version: '0.1.0' } } }, null, 2)}\n`,
    );
    write('src/version.ts', "export const version = '0.1.0';\n");
    write('CHANGELOG.md', changelog);
    write('README.md', '# Library\n');
    mkdirSync(join(folder, '.github/ISSUE_TEMPLATE'), { recursive: true });
    write('.github/ISSUE_TEMPLATE/config.yml', 'blank_issues_enabled: false\n');
    git('init', '--quiet', '--initial-branch=main');
    for (const [name, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@acme.test'],
      ['commit.gpgsign', 'false'],
      ['tag.gpgsign', 'false'],
    ] as const)
      git('config', name, value);
    git('add', '.');
    git('commit', '--quiet', '--message', 'Begin');
    const commands: string[] = [];
    const lines: string[] = [];
    const make = (version: string, fails?: string) =>
      release(version, {
        folder,
        date: '2026-11-22',
        npm: (...args) => {
          commands.push(args.join(' '));
          if (fails === args[0]) throw new Error('it failed');
        },
        say: (line) => lines.push(line),
      });
    return { git, write, read, make, commands, lines };
  }

  test('tests, rehearses, commits and tags a release, and pushes nothing', () => {
    const { git, read, make, commands, lines } = repository();

    expect(make('0.2.0')).toBe(0);

    expect(commands).toEqual(['test', 'publish --provenance --dry-run']);
    expect(git('log', '--format=%s')).toBe('Release 0.2.0\nBegin');
    expect(git('show', '--stat', '--format=%s', 'v0.2.0')).toMatch(/^tag v0\.2\.0[\s\S]*Release 0\.2\.0/);
    expect(git('status', '--porcelain')).toBe('');
    expect(JSON.parse(read('package.json'))).toEqual({ ...manifest, version: '0.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toEqual({ version: '0.2.0', packages: { '': { version: '0.2.0' } } });
    expect(read('src/version.ts')).toBe("export const version = '0.2.0';\n");
    expect(read('CHANGELOG.md')).toContain('## [0.2.0] - 2026-11-22');
    expect(lines.join('\n')).toContain('git push --follow-tags');
  });

  test.each(['test', 'publish'])('leaves everything unchanged if `npm %s` fails', (command) => {
    const { git, read, make, lines } = repository();

    expect(make('0.2.0', command)).toBe(1);

    expect(git('log', '--format=%s')).toBe('Begin');
    expect(git('tag', '--list')).toBe('');
    expect(git('status', '--porcelain')).toBe('');
    expect(read('CHANGELOG.md')).toBe(changelog);
    expect(lines.join('\n')).toContain('Not released');
  });

  test('lists all obstacles and leaves everything unchanged if a release is not allowed', () => {
    const { git, write, make, commands, lines } = repository();
    git('switch', '--quiet', '--create', 'shelves');
    write('notes.txt', 'not committed');

    expect(make('0.0.1')).toBe(1);

    expect(commands).toEqual([]);
    expect(lines[0]).toBe('Cannot release 0.0.1:');
    expect(lines.slice(1).map((line) => line.split('\n')[0])).toEqual([
      '- 0.0.1 must not be lower than 0.1.0 in package.json',
      '- releases must be made on main, not on shelves. Run: git switch main',
      '- there are uncommitted changes. Commit or stash them:',
    ]);
    expect(git('log', '--format=%s')).toBe('Begin');
  });
});
