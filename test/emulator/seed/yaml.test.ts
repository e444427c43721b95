import { describe, expect, test } from 'vitest';
import { triesAll } from '../../runner/property.js';
import { stage } from '../../stage.js';
import { refusalOf, seedFolder } from './file.js';

const fileOf = seedFolder();

// `npm run test:all` makes them long: they take far less than the time limit of a test, one minute.
const [anchorCount, nameCount] = triesAll ? [2_000, 50_000] : [200, 5_000];

describe('in a YAML seed,', () => {
  test('aliases can repeat an anchor 9,999 times, but no more', async () => {
    const aliases = Array(9_999).fill('*kind').join(', ');

    const few = await refusalOf(fileOf(`custom: [&kind x, ${aliases}]\n`));
    const many = await refusalOf(fileOf(`custom: [&kind x, ${aliases}, *kind]\n`));

    // All aliases are resolved before the unknown section is refused.
    expect(few).toEqual([expect.stringMatching(/^ {2}seed:1:1: custom is not a known section/)]);
    expect(many).toEqual([expect.stringMatching(/^ {2}seed:1:1: Excessive alias count/)]);
  });

  test('hundreds of aliases and anchors are allowed', async () => {
    const anchors = Array.from(
      { length: anchorCount },
      (_, at) => `  - { name: &name${at} Acme, metadata: &data${at} { a: b } }`,
    );
    const aliases = Array.from(
      { length: anchorCount },
      (_, at) => `  - { <<: { name: *name${at} }, metadata: *data${at} }`,
    );
    const file = fileOf(['organizations:', ...anchors, ...aliases].join('\n'));

    const { emulator } = await stage({ seed: file });

    const { organizations } = JSON.parse(await emulator.export({ format: 'json' }));
    expect(organizations).toHaveLength(2 * anchorCount);
    expect(organizations.at(-1)).toMatchObject({ name: 'Acme', metadata: { a: 'b' } });
  });

  test('an alias refers to the nearest preceding anchor with the same name', async () => {
    const { emulator } = await stage({
      seed: fileOf('organizations:\n  - name: &name One\n  - name: *name\n  - name: &name Two\n  - name: *name\n'),
    });

    const { organizations } = JSON.parse(await emulator.export({ format: 'json' }));

    expect(organizations.map(({ name }: { name: string }) => name)).toEqual(['One', 'One', 'Two', 'Two']);
  });

  test('an alias before its anchor is rejected', async () => {
    expect(await refusalOf(fileOf('organizations:\n  - name: *name\n  - name: &name One\n'))).toEqual([
      '  seed:2:11: Text that starts with * refers to an anchor, but there is no such anchor before it; quote the text.',
    ]);
  });

  test('a mapping can have thousands of keys, but no duplicate keys', async () => {
    const names = Array.from({ length: nameCount }, (_, at) => `  name${at}: x\n`).join('');

    const lines = await refusalOf(fileOf(`custom_claims:\n${names}  name7: y\n`));

    expect(lines).toEqual([`  seed:${nameCount + 2}:3: This name is repeated; keep only one.`]);
  });
});
