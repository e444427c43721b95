import { describe, expect, test } from 'vitest';
import { checkArguments, readArguments } from '../../src/cli/control/arguments.js';
import { helpText, listText } from '../../src/cli/control/texts.js';
import { type NamedControl, namedControlsOf } from '../../src/emulator/http/control.js';
import { sendControl } from '../../src/emulator/http/remote-controls.js';
import { administratorControls, controls } from '../../src/emulator/registry.js';
import { directoryRows } from '../parity/controls/directories.js';
import { roomRows } from '../parity/controls/rooms.js';
import { company, type Place, type Row } from '../parity/controls/row.js';
import { signInRows } from '../parity/controls/sign-in.js';
import { worldRows } from '../parity/controls/world.js';
import { stage } from '../stage.js';

const rows = { ...worldRows, ...directoryRows, ...roomRows, ...signInRows };
const named = new Map(namedControlsOf({ ...controls, ...administratorControls }).map((one) => [one.name, one]));

const createPlace = (): Promise<Place> =>
  stage({ seed: company, autoApprove: true, auditExportAfterMs: 1_000, deliver: () => new Response(null) });

/** The arguments of the command line for the same request: path parameters, and then `name=value`. */
function wordsOf({ operation }: NamedControl, [line, body = {}]: Row['request'], id: string): string[] {
  const { pathname, searchParams } = new URL(line.split(' ')[1]!.replace('{id}', id), 'http://emulator');
  const pattern = new RegExp(`^${operation.path.replace(/:[a-z_]+/g, '([^/]+)')}$`);
  const pairs = [...searchParams, ...Object.entries(body as object)];
  return [
    ...pattern.exec(pathname)!.slice(1).map(decodeURIComponent),
    ...pairs.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  ];
}

describe.each(Object.entries(rows))('sallyport control %s', (name, row) => {
  test('has the same effect as the equivalent HTTP request', async () => {
    const at = await createPlace();
    await row.before?.(at);
    const id = (await row.find?.(at)) ?? '';
    const control = named.get(name)!;
    const { apiKey, baseUrl } = at.emulator.credentials;

    const { pathValues, payload } = checkArguments(control, readArguments(control, wordsOf(control, row.request, id)));
    await sendControl({ apiKey, baseUrl, fetch: at.emulator.fetch }, control, pathValues, payload);

    expect(await row.shows(at, id)).toEqual(row.then);
  });
});

test('the help for a control names the HTTP request and all arguments', () => {
  const list = listText([...named.values()]);
  for (const [name, control] of named) {
    const { io, method, path } = control.operation;
    const sent = io.body ?? io.query;
    const shape = (sent && 'shape' in sent ? sent : sent?.model)?.shape ?? {};
    const fields = Object.keys(shape).map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const arguments_ = [...(path.match(/(?<=:)\w+/g) ?? []), ...fields];
    const help = helpText(control);

    expect(help).toContain(`\nRequest: ${method} ${path},`);
    expect([...help.matchAll(/^ {2}(\w+) {2}/gm)].map(([, argument]) => argument)).toEqual(arguments_);
    expect(list).toMatch(new RegExp(`^${name.replace('.', '\\.')} .*${method} ${path}$`, 'm'));
    // A path parameter and a field may not have the same name.
    expect(new Set(arguments_).size).toBe(arguments_.length);
  }
});

test('the help for a control shows the type of each argument', () => {
  expect(helpText(named.get('createProfile')!).split('\n')).toEqual([
    'sallyport control createProfile connection_id=… email=… [name=value…]',
    '',
    'Request: POST /_emulator/profiles, see docs/reference/controls.md in the package',
    '',
    'Arguments:',
    '  id                 text',
    '  connection_id      text, required',
    '  email              text, required',
    '  idp_id             text',
    '  first_name         text or null',
    '  last_name          text or null',
    '  role               object of slug or null, as JSON',
    '  groups             list of text, as a,b or JSON',
    '  custom_attributes  object, as JSON',
    '  raw_attributes     object, as JSON',
  ]);
});

const read = (name: string, ...values: string[]) =>
  checkArguments(named.get(name)!, readArguments(named.get(name)!, values));

test.each([
  ['clock.advance', ['5m'], [], { by: '5m' }],
  ['clock.advance', ['by=5000'], [], { by: 5000 }],
  ['allowIdpInitiatedSso', ['conn_okta', 'true'], ['conn_okta'], { allowed: true }],
  ['setEntitlements', ['org_acme', 'audit,sso'], ['org_acme'], { entitlements: ['audit', 'sso'] }],
  ['setEntitlements', ['org_acme', '["a,b"]'], ['org_acme'], { entitlements: ['a,b'] }],
  ['setCustomClaims', ['{"plan":"pro"}'], [], { claims: { plan: 'pro' } }],
  ['updateDirectory', ['domain=null', 'id=directory_acme'], ['directory_acme'], { domain: null }],
  ['addRedirectUri', ['https://acme.test/?a=b'], [], { uri: 'https://acme.test/?a=b' }],
  ['inbox.latest', [], [], {}],
  ['reset', [], [], {}],
])('sallyport control %s accepts the argument list %j', (name, values, pathValues, payload) => {
  expect(read(name, ...values)).toEqual({ pathValues, payload });
});

test.each([
  ['clock.advance', [], 'by is required'],
  ['faults.add', ['status=teapot'], 'status must be an integer from 400 to 599'],
  ['createConnection', ['organizationId=org_acme'], 'no argument organizationId; did you mean organization_id?'],
  ['clock.advance', ['5m', '6m'], 'Value 2 of clock.advance needs a name: write name=value.'],
  ['faults.remove', [], 'faults.remove needs id. Run sallyport control faults.remove --help'],
  ['setCustomClaims', ['pro'], 'claims must be an object'],
  ['restore', ['format=sallyport-snapshot', 'version=1'], 'worlds is required'],
])('sallyport control %s rejects the argument list %j', (name, values, message) => {
  expect(() => read(name, ...values)).toThrow(message);
});
