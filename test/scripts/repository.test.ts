import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { purposes } from '../../src/cli/tasks.js';

const files = readdirSync('.github', { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
const yaml = (file: string) => {
  const document = parseDocument(readFileSync(`.github/${file}`, 'utf8'), { prettyErrors: true, strict: true });
  return { problems: [...document.errors, ...document.warnings].map(String), content: document.toJS() };
};

describe('the repository', () => {
  test.each(files.filter((file) => file.endsWith('.yml')))('has valid YAML in .github/%s', (file) => {
    expect(yaml(file).problems).toEqual([]);
  });

  test('runs .ci/run on the oldest supported Node version', () => {
    const { content } = yaml('workflows/ci.yml');
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { steps } = content.jobs.run;
    const node = steps.find(({ uses = '' }) => uses.startsWith('actions/setup-node@'));

    expect(steps.map(({ run }: { readonly run?: string }) => run)).toContain('.ci/run');
    expect(engines.node).toContain(node.with['node-version']);
    expect(node.with.cache).toBe('npm');
    expect(Object.keys(content.on)).toEqual(['push', 'pull_request', 'workflow_call']);
    expect(content.jobs.test.strategy.matrix.node).toEqual([node.with['node-version'], '22', '24', '26']);
  });

  test('publishes tagged releases with provenance after all checks', () => {
    const { on, permissions, jobs } = yaml('workflows/release.yml').content;
    const steps: { readonly run?: string }[] = jobs.publish.steps;

    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(permissions).toEqual({ contents: 'read' });
    expect(jobs.check.uses).toBe('./.github/workflows/ci.yml');
    expect(jobs.publish).toMatchObject({ needs: 'check', permissions: { contents: 'read', 'id-token': 'write' } });
    expect(steps.at(-1)?.run).toMatch(/^npm publish --provenance$/m);
  });

  test('grants the weekly API comparison no permission except write access to issues', () => {
    const { on, permissions, jobs } = yaml('workflows/drift.yml').content;
    const runs = jobs.compare.steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);

    expect(on.schedule).toHaveLength(1);
    expect(permissions).toEqual({ issues: 'write' });
    expect(jobs.compare.permissions).toBeUndefined();
    expect(
      runs.filter((run: string) => /description|drift\.md/.test(run) && /\$\((?!gh issue list)|`/.test(run)),
    ).toEqual([]);
    expect(runs.at(-1)).toContain('--body-file drift.md');
  });

  test('pins actions to commits, with the version as a comment', () => {
    const lines = files
      .filter((file) => file.startsWith('workflows/'))
      .flatMap((file) => readFileSync(`.github/${file}`, 'utf8').match(/^.*\buses: .+$/gm) ?? []);

    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !/uses: (?:\.\/|[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$)/.test(line))).toEqual([]);
  });

  test('lists every entry point and command in the bug form', () => {
    const { content } = yaml('ISSUE_TEMPLATE/bug.yml');
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    const entries = Object.keys(exports).filter((name) => !name.endsWith('.json'));
    const [{ attributes }] = content.body.filter(({ id }: { readonly id?: string }) => id === 'entry');
    const offered = attributes.options.map((option: string) => option.replace(/ \(.*/, ''));

    expect(offered).toEqual(
      expect.arrayContaining([
        ...entries.map((name) => name.replace('.', 'sallyport')),
        ...Object.keys(purposes).map((command) => `npx sallyport ${command}`),
      ]),
    );
  });

  test.each(['bug', 'idea'])('has an issue form %s.yml with a name, a description and unique question ids', (form) => {
    const { content } = yaml(`ISSUE_TEMPLATE/${form}.yml`);
    const questions: { type: string; id: string; attributes: { label: string } }[] = content.body.filter(
      ({ type }: { readonly type: string }) => type !== 'markdown',
    );

    expect(content).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    expect(questions.length).toBeGreaterThan(1);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    for (const { type, attributes } of questions) {
      expect(['textarea', 'input', 'dropdown', 'checkboxes']).toContain(type);
      expect(attributes.label).not.toBe('');
    }
  });

  test('lets Dependabot update npm packages and GitHub actions', () => {
    const { updates } = yaml('dependabot.yml').content;
    const ecosystems = updates.map((one: Record<string, unknown>) => one['package-ecosystem']);

    expect(ecosystems).toEqual(['npm', 'github-actions']);
    for (const folder of updates[0].directories) expect(existsSync(`.${folder}/package-lock.json`)).toBe(true);
  });
});
