import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from './imports.js';
import { strayTests, violations } from './rules.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const filesOf = (folder: string): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    // `sallyport init` writes the templates into applications, where they import frameworks.
    .filter((path) => !path.includes(join('init', 'templates')))
    .map((path) => ({ path: path.slice(root.length).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }));

test('the source files follow the rules for layers, import cycles, file length and names', () => {
  const files = filesOf('src');

  expect(files.length).toBeGreaterThan(50);
  expect(violations(files)).toEqual([]);
});

test("the emulator's test folders match the emulator's source folders", () => {
  const [tests, sources] = ['test/emulator', 'src/emulator'].map((folder) => filesOf(folder).map(({ path }) => path));

  expect(strayTests(tests!, sources!)).toEqual([]);
});

describe('the architecture rules', () => {
  // Enough files for the imports of the files under test.
  const tree: SourceFile[] = [
    { path: 'src/service/users.ts', text: 'export interface User { id: string }' },
    { path: 'src/service/events/objects.ts', text: '' },
    { path: 'src/errors/sallyport-error.ts', text: '' },
    { path: 'src/streams/checkpoint.ts', text: '' },
    { path: 'src/streams/follow/follow.ts', text: '' },
    { path: 'src/transport/sending/ky.ts', text: '' },
    { path: 'src/transport/transport.ts', text: "import { userShape } from '../service/users.js';" },
    { path: 'src/emulator/store/store.ts', text: '' },
    { path: 'src/emulator/emulator.ts', text: '' },
    { path: 'src/emulator/rooms/users/records.ts', text: '' },
    { path: 'src/emulator/rooms/memberships/records.ts', text: '' },
    { path: 'src/client/users.ts', text: '' },
    { path: 'src/session/sessions.ts', text: '' },
    { path: 'src/session/types.ts', text: '' },
    { path: 'src/session/guard/guard.ts', text: "import type { Sessions } from '../types.js';" },
  ];
  const judge = (path: string, text: string) =>
    violations([...tree.filter((file) => file.path !== path), { path, text }]);

  test.each([
    ['a type import from a lower layer', 'src/webhooks/verify.ts', "import type { User } from '../service/users.js';"],
    [
      'a type-only export from a lower layer',
      'src/webhooks/verify.ts',
      "export { type User } from '../service/users.js';",
    ],
    [
      'an import of the only permitted file of a folder',
      'src/streams/queues.ts',
      "import { objectsOf } from '../service/events/objects.js';",
    ],
    [
      'an import of a shared streams file in a streams folder',
      'src/streams/once/once.ts',
      "import { save } from '../checkpoint.js';",
    ],
    [
      'an export of a streams folder in the index file',
      'src/streams/index.ts',
      "export { follow } from './follow/follow.js';",
    ],
    ['an import from a lower layer', 'src/client/rooms.ts', "import { Transport } from '../transport/transport.js';"],
    ['an import of zod/mini in the emulator', 'src/emulator/world/schema.ts', "import * as z from 'zod/mini';"],
    ['a dynamic import of ky', 'src/transport/sending/send.ts', "const { default: ky } = await import('./ky.js');"],
    [
      'a static import of ky in a dynamically loaded file',
      'src/transport/sending/ky.ts',
      "export { default } from 'ky';",
    ],
    ['a type import from ky', 'src/transport/sending/send.ts', "import type { KyInstance } from 'ky';"],
    ['an import of a package subpath', 'src/emulator/seed/table.ts', "import { stringify } from 'csv-stringify/sync';"],
    ['an import of a Node module in the command line', 'src/cli/main.ts', "import { parseArgs } from 'node:util';"],
    [
      "an import of a Node module in the emulator's server",
      'src/emulator/chain/listen.ts',
      "import { createServer } from 'node:http';",
    ],
    [
      'the text of an import in a comment or a string',
      'src/service/users.ts',
      "// import ky from 'ky';\nexport const hint = `import('ky')`;",
    ],
    [
      'an import from a lower layer of the emulator',
      'src/emulator/sign-in/users.ts',
      "import { Store } from '../store/store.js';",
    ],
    [
      'an import of user records in membership records',
      'src/emulator/rooms/memberships/records.ts',
      "import { users } from '../users/records.js';",
    ],
    [
      'an import of membership records in user routes',
      'src/emulator/rooms/users/routes.ts',
      "import { memberships } from '../memberships/records.js';",
    ],
    ['a file of 400 lines', 'src/service/users.ts', 'export {};\n'.repeat(400)],
    ['the file name commonwealth.ts', 'src/service/commonwealth.ts', ''],
  ])('allow %s', (_what, path, text) => {
    expect(judge(path, text)).toEqual([]);
  });

  test.each([
    [
      'an import from a higher layer',
      'src/service/users.ts',
      "import { Transport } from '../transport/transport.js';",
      'src/service/users.ts: may not import src/transport/transport.ts',
    ],
    [
      'an import of a type from a higher layer',
      'src/transport/transport.ts',
      "import type { Users } from '../client/users.js';",
      'src/transport/transport.ts: may not import src/client/users.ts',
    ],
    [
      'an import of the client in the emulator',
      'src/emulator/store/store.ts',
      "export * from '../../client/users.js';",
      'src/emulator/store/store.ts: may not import src/client/users.ts',
    ],
    [
      'a dynamic import of the emulator in the client',
      'src/client/users.ts',
      "await import('../emulator/store/store.js');",
      'src/client/users.ts: may not import src/emulator/store/store.ts',
    ],
    [
      'an inline type import of the emulator in the client',
      'src/client/users.ts',
      "export type Store = import('../emulator/store/store.js').Store;",
      'src/client/users.ts: may not import src/emulator/store/store.ts',
    ],
    [
      'an import of a value where only type imports are allowed',
      'src/webhooks/verify.ts',
      "import { type User, userShape } from '../service/users.js';",
      'src/webhooks/verify.ts: may not import src/service/users.ts',
    ],
    [
      'an import from a higher layer of the emulator',
      'src/emulator/world/clock.ts',
      "import type { UserRecord } from '../rooms/users/records.js';",
      'src/emulator/world/clock.ts: may not import src/emulator/rooms/users/records.ts',
    ],
    [
      'an import of membership records in user records',
      'src/emulator/rooms/users/records.ts',
      "import { memberships } from '../memberships/records.js';",
      'src/emulator/rooms/users/records.ts: may not import src/emulator/rooms/memberships/records.ts',
    ],
    [
      'an import of membership routes in user routes',
      'src/emulator/rooms/users/routes.ts',
      "import { membershipRoutes } from '../memberships/routes.js';",
      'src/emulator/rooms/users/routes.ts: may not import src/emulator/rooms/memberships/routes.ts',
    ],
    [
      'an import of webhook controls in user routes',
      'src/emulator/rooms/users/routes.ts',
      "import { endpointControls } from '../webhooks/endpoint-controls.js';",
      'src/emulator/rooms/users/routes.ts: may not import src/emulator/rooms/webhooks/endpoint-controls.ts',
    ],
    [
      'an import of user records in FGA records',
      'src/emulator/rooms/fga/records.ts',
      "import { users } from '../users/records.js';",
      'src/emulator/rooms/fga/records.ts: may not import src/emulator/rooms/users/records.ts',
    ],
    [
      'an import from a higher layer of the sign-in',
      'src/emulator/sign-in/proof/policies.ts',
      "import { sessions } from '../sessions/sessions.js';",
      'src/emulator/sign-in/proof/policies.ts: may not import src/emulator/sign-in/sessions/sessions.ts',
    ],
    [
      'an import of a file above the sign-in layers',
      'src/emulator/sign-in/grants/flow.ts',
      "import { customClaimsSection } from '../seed.js';",
      'src/emulator/sign-in/grants/flow.ts: may not import src/emulator/sign-in/seed.ts',
    ],
    [
      'an import of the top emulator layer in a lower layer',
      'src/emulator/world/clock.ts',
      "import { createEmulator } from '../emulator.js';",
      'src/emulator/world/clock.ts: may not import src/emulator/emulator.ts',
    ],
    [
      'an emulator file outside the layer folders',
      'src/emulator/store.ts',
      '',
      "src/emulator/store.ts: belongs into one of the emulator's folders",
    ],
    [
      'a folder that belongs to no layer',
      'src/cabinets/redis.ts',
      "import '../errors/sallyport-error.js';",
      'src/cabinets/redis.ts: no floor',
    ],
    [
      'a file that imports itself',
      'src/service/users.ts',
      "import type { User } from './users.js';",
      'src/service/users.ts -> src/service/users.ts',
    ],
    [
      'an import of a missing file',
      'src/service/users.ts',
      "import './absent.js';",
      'src/service/absent.ts is not there',
    ],
    [
      'an import of zod where zod/mini is required',
      'src/emulator/world/schema.ts',
      "import * as z from 'zod';",
      'src/emulator/world/schema.ts: zod is imported as',
    ],
    [
      'a named import from zod/mini',
      'src/emulator/world/schema.ts',
      "import { z } from 'zod/mini';",
      'src/emulator/world/schema.ts: zod is imported as',
    ],
    [
      'an import of zod outside the emulator',
      'src/service/users.ts',
      "import * as z from 'zod/mini';",
      'src/service/users.ts: may not import the package zod/mini',
    ],
    [
      'an import of ky outside the transport',
      'src/client/users.ts',
      "await import('ky');",
      'src/client/users.ts: may not import the package ky',
    ],
    [
      'a static import of ky',
      'src/transport/sending/send.ts',
      "import ky from 'ky';",
      'src/transport/sending/send.ts: ky is loaded by',
    ],
    [
      'a static import of the file that loads ky',
      'src/transport/sending/send.ts',
      "import ky from './ky.js';",
      'src/transport/sending/send.ts: ky is loaded by',
    ],
    [
      'an import of an unlisted package',
      'src/emulator/store/store.ts',
      "import { merge } from 'lodash';",
      'src/emulator/store/store.ts: may not import the package lodash',
    ],
    [
      'an import of a Node module in the client',
      'src/client/users.ts',
      "import { hash } from 'node:crypto';",
      'src/client/users.ts: may not import node:crypto',
    ],
    [
      'an import of a Node module without the node: prefix',
      'src/client/users.ts',
      "import { hash } from 'crypto';",
      'src/client/users.ts: may not import the package crypto',
    ],
    [
      'a file of more than 400 lines',
      'src/service/users.ts',
      'export {};\n'.repeat(401),
      'src/service/users.ts: 401 lines, at most 400',
    ],
    [
      'a call to URL.canParse',
      'src/service/users.ts',
      'export const isUrl = (text: string) => URL.canParse(text);',
      'src/service/users.ts: URL.canParse is wrong at times',
    ],
    [
      'an import from a higher folder of the sessions',
      'src/session/read/reader.ts',
      "import type { Guard } from '../guard/guard.js';",
      'src/session/read/reader.ts: may not import src/session/guard/guard.ts',
    ],
    [
      'an import between two streams folders',
      'src/streams/once/once.ts',
      "import { follow } from '../follow/follow.js';",
      'src/streams/once/once.ts: may not import src/streams/follow/follow.ts',
    ],
    [
      'an import of a streams folder in a shared streams file',
      'src/streams/queues.ts',
      "import { follow } from './follow/follow.js';",
      'src/streams/queues.ts: may not import src/streams/follow/follow.ts',
    ],
    [
      'an import of the top sessions file in a sessions folder',
      'src/session/guard/guard.ts',
      "import { createSessions } from '../sessions.js';",
      'src/session/guard/guard.ts: may not import src/session/sessions.ts',
    ],
    ['a file called utils', 'src/service/utils.ts', '', 'src/service/utils.ts: name the idea'],
    ['a folder called helpers', 'src/client/helpers/users.ts', '', 'src/client/helpers/users.ts: name the idea'],
    ['a file called users-common', 'src/client/users-common.ts', '', 'src/client/users-common.ts: name the idea'],
  ])('reject %s', (_what, path, text, message) => {
    expect(judge(path, text)).toContainEqual(expect.stringContaining(message));
  });

  test('reject a folder with more than 20 files', () => {
    const folder = Array.from({ length: 21 }, (_, index) => ({ path: `src/streams/file-${index}.ts`, text: '' }));

    expect(violations(folder)).toEqual(['src/streams: 21 files, at most 20']);
    expect(violations(folder.slice(1))).toEqual([]);
  });

  test('reject an import cycle that includes a type import', () => {
    const circle: SourceFile[] = [
      { path: 'src/service/a.ts', text: "import { b } from './b.js';" },
      { path: 'src/service/b.ts', text: "import type { C } from './c.js';" },
      { path: 'src/service/c.ts', text: "export * from './a.js';" },
    ];

    expect(violations(circle)).toEqual([
      'src/service/a.ts -> src/service/b.ts -> src/service/c.ts -> src/service/a.ts',
    ]);
    expect(violations(circle.slice(0, 2))).toEqual(['src/service/b.ts: src/service/c.ts is not there']);
  });

  test('reject emulator tests in a folder without a matching source folder', () => {
    const sources = ['src/emulator/rooms/users/routes.ts', 'src/emulator/rooms/users/records.ts'];
    const test = (path: string) => strayTests([path], sources);

    expect(test('test/emulator/rooms/users/email.test.ts')).toEqual([]);
    expect(test('test/emulator/rooms/users.test.ts')).toEqual([]);
    expect(test('test/emulator/rooms/user-email.test.ts')).toEqual([
      'test/emulator/rooms/user-email.test.ts: src has no such folder',
    ]);
    expect(test('test/emulator/worlds/worlds.test.ts')).toEqual([
      'test/emulator/worlds/worlds.test.ts: src has no such folder',
    ]);
  });
});
