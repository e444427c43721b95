import { describe, expect, test } from 'vitest';
import { audit, inlinedVersions, report } from '../../scripts/audit.js';
import { takesLong } from '../runner/requirements.js';
import { type Script, serve } from '../servers/server.js';

const advisory = {
  id: 1,
  url: 'https://example.com/advisories/1',
  title: 'Books fall from the shelf',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
};

/** A registry with these advisories, by package. */
const registry = (advisories: object) => {
  const answer: Script = ({ path }, response) => {
    const known = path === '/-/npm/v1/security/advisories/bulk';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? advisories : {}));
  };
  return serve(answer);
};

takesLong('the audit', () => {
  describe('of inlined packages', () => {
    test('reports the package, versions, title and URL of each vulnerability', async () => {
      const { url } = await registry({ shelf: [advisory] });

      expect(await audit({ shelf: ['2.0.0', '1.2.3'], '@own/book': ['1.0.0'] }, url)).toEqual({
        findings: ['shelf <2.0.0 (high): Books fall from the shelf. https://example.com/advisories/1'],
      });
    });

    test('reports nothing if no version is vulnerable', async () => {
      const { url, requests } = await registry({ shelf: [advisory] });

      expect(await audit({ shelf: ['2.0.0'], '@own/book': ['1.0.0'] }, url)).toEqual({ findings: [] });
      expect(requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
        '/-/npm/v1/security/advisories/bulk',
      ]);
    });

    test.each([
      ['refuses connections', async () => 'http://127.0.0.1:9'],
      ['responds with an error', async () => (await serve({ status: 503, body: { error: 'closed' } })).url],
    ])('returns no result if the registry %s', async (_what, address) => {
      expect(await audit({ shelf: ['1.2.3'] }, await address())).toEqual({
        unavailable: expect.stringMatching(/^\S.+$/),
      });
    });
  });

  test('checks the inlined packages in package.json and in the bill of materials', () => {
    const inlinedDependencies = { ky: '2.1.0', jose: '5.0.0 || 6.0.0' };
    const components = [
      { name: 'ky', version: '2.1.0' },
      { group: '@noble', name: 'hashes', version: '2.4.0' },
    ];

    expect(inlinedVersions({ inlinedDependencies, components })).toEqual({
      ky: ['2.1.0'],
      jose: ['5.0.0', '6.0.0'],
      '@noble/hashes': ['2.4.0'],
    });
    expect(inlinedVersions({ inlinedDependencies })).toEqual({ ky: ['2.1.0'], jose: ['5.0.0', '6.0.0'] });
  });

  test.each([
    ['returns exit code 1 and prints the findings', { findings: ['one', 'two'] }, 1, ['one', 'two']],
    [
      'returns exit code 0 and prints a message if there are no findings',
      { findings: [] },
      0,
      ['No known vulnerabilities in the 27 inlined packages.'],
    ],
    [
      'returns exit code 0 and prints a warning if the registry is unavailable',
      { unavailable: 'no network' },
      0,
      ['Warning: the 27 inlined packages were not checked for vulnerabilities: no network'],
    ],
  ])('%s', (_what, result, code, lines) => {
    const printed: string[] = [];

    expect(report(result, 27, (line) => printed.push(line))).toBe(code);
    expect(printed).toEqual(lines);
  });
});
