import { expect, test } from 'vitest';
import { namedControlsOf } from '../../../src/emulator/http/control.js';
import { controls } from '../../../src/emulator/registry.js';
import { descriptorOf } from '../../../src/service/describe/operation.js';
import { company } from '../../parity/controls/row.js';
import fc, { triesAll } from '../../runner/property.js';
import { stage } from '../../stage.js';

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const ids = ['org_acme', 'user_ada', 'conn_okta', 'directory_acme', 'directory_group_docks', 'directory_user_grace'];
const odd = fc.oneof(
  fc.constantFrom(...ids, 'ada@acme.test', 'OktaSAML', 'active', '31d', '', null, true, {}, [], [null], -1, 1e21),
  fc.string(),
  fc.integer(),
  fc.array(fc.constantFrom(...ids, { id: 1 }, 'x')),
  fc.dictionary(fc.constantFrom('slug', 'value', 'primary', '__proto__', 'password'), fc.jsonValue()),
);

test.each(namedControlsOf(controls).map((one) => [one.name, one.operation] as const))(
  'the %s control never fails with an internal error on random requests',
  async (name, operation) => {
    const { send } = await stage({ seed: company });
    const sent = operation.io.body ?? operation.io.query;
    const fields = sent ? Object.keys(descriptorOf(sent).model!.shape).map(snake) : [];
    const body = fc.record(Object.fromEntries(fields.map((field) => [field, odd])), { requiredKeys: [] });
    const parameter = fc.oneof(fc.constantFrom(...ids), fc.string({ minLength: 1 }).map(encodeURIComponent));

    await fc.assert(
      fc.asyncProperty(body, parameter, async (fieldsSent, id) => {
        const path = operation.path.replace(/:[a-z_]+/, id === '.' || id === '..' ? 'dots' : id);
        // This control waits by design.
        const limited = name.endsWith('.waitFor') ? { ...fieldsSent, timeout_ms: 0 } : fieldsSent;

        const answer = await send(`${operation.method} ${path}`, operation.io.body ? limited : undefined);

        expect(answer.status, JSON.stringify([path, limited, answer.body])).toBeLessThan(500);
      }),
      // Creating a key takes as long as a hundred requests.
      { numRuns: name === 'keys.rotate' ? 2 : triesAll ? 100 : 10 },
    );
  },
);
