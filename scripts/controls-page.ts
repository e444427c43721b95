// Builds the page of the reference that documents every control of the emulator. Reads the descriptions and their comments.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type NamedControl, namedControlsOf } from '../src/emulator/http/control.js';
import { fieldsOf, typeOf } from '../src/emulator/http/control-fields.js';

import { administratorControls, controls } from '../src/emulator/registry.js';
import { descriptorOf } from '../src/service/describe/operation.js';

const sources = ['registry', 'emulator'].map((name) =>
  fileURLToPath(new URL(`../src/emulator/${name}.ts`, import.meta.url)),
);
const code = (text: string): string => `\`${text}\``;
const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

/** An example request. It works with the seed examples/company.yaml. */
export interface Example {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Examples by control name. */
export const examples: Readonly<Record<string, Example>> = {
  'clock.advance': { method: 'POST', path: '/_emulator/clock/advance', body: { by: '31d' } },
  'inbox.waitFor': {
    method: 'POST',
    path: '/_emulator/inbox/wait_for',
    body: { to: 'ada@northwind.test', kind: 'magic_auth' },
  },
  reset: { method: 'POST', path: '/_emulator/reset' },
  'worlds.create': {
    method: 'POST',
    path: '/_emulator/worlds',
    body: { name: 'checkout', seed: { users: [{ email: 'ada@acme.test' }] } },
  },
  createConnection: {
    method: 'POST',
    path: '/_emulator/connections',
    body: { connection_type: 'OktaSAML', organization_id: 'org_tailspin' },
  },
  createDirectoryUser: {
    method: 'POST',
    path: '/_emulator/directory_users',
    body: { directory_id: 'directory_northwind', email: 'erin@northwind.test', groups: ['directory_group_docks'] },
  },
  failNextAuthorization: {
    method: 'POST',
    path: '/_emulator/authorization_failures',
    body: { error: 'access_denied' },
  },
};

const forAdministrators: ReadonlySet<string> = new Set(namedControlsOf(administratorControls).map(({ name }) => name));

const curlOf = (name: string, { method, path, body }: Example): string => {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$SALLYPORT_BASE_URL${path}"`,
    `-H "Authorization: Bearer $SALLYPORT_${forAdministrators.has(name) ? 'ADMIN' : 'API'}_KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`]),
  ];
  return `\`\`\`sh\n${lines.join(' \\\n  ')}\n\`\`\`\n`;
};

/** Documentation of a control, read from the sources. */
export interface Remarks {
  readonly text: string;
  readonly examples: readonly string[];
  readonly refusals: readonly string[];
  /** The in-process call. */
  readonly call: string;
  /** Comments of its parameters, by their in-process names. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Reads the comments of the controls. */
class Comments {
  readonly #checker: ts.TypeChecker;
  readonly #emulator: ts.Type;
  readonly #controls: readonly ts.Type[];

  constructor() {
    const config = ts.readConfigFile(fileURLToPath(new URL('../tsconfig.json', import.meta.url)), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(
      config.config,
      ts.sys,
      fileURLToPath(new URL('..', import.meta.url)),
    );
    const program = ts.createProgram(sources, options);
    this.#checker = program.getTypeChecker();
    const exported = sources.flatMap((source) =>
      this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(program.getSourceFile(source)!)!),
    );
    const typeNamed = (wanted: string): ts.Type => {
      const found = exported.find(({ name }) => name === wanted)!;
      const symbol = found.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(found) : found;
      return this.#checker.getDeclaredTypeOfSymbol(symbol);
    };
    this.#controls = ['Controls', 'AdministratorControls'].map(typeNamed);
    this.#emulator = typeNamed('Emulator');
  }

  #method(
    name: string,
    ...among: readonly ts.Type[]
  ): { readonly method: ts.Symbol; readonly type: ts.Type } | undefined {
    for (const controls of among) {
      let method: ts.Symbol | undefined;
      let type: ts.Type | undefined = controls;
      for (const key of name.split('.')) {
        method = type && this.#checker.getPropertyOfType(type, key);
        type = method && this.#checker.getTypeOfSymbol(method);
      }
      if (method && type) return { method, type };
    }
    return undefined;
  }

  of(name: string): Remarks {
    const found = this.#method(name, ...this.#controls);
    if (!found) throw new Error(`Controls has no ${name}.`);
    // In process, some controls take more than JSON can hold.
    const inProcess = (!forAdministrators.has(name) && this.#method(name, this.#emulator)) || found;
    const { method, type } = inProcess;
    const signature = this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    const tagsOf = (wanted: string): string[] =>
      method
        .getJsDocTags(this.#checker)
        .filter(({ name }) => name === wanted)
        .map(({ text }) => ts.displayPartsToString(text));
    return {
      text: ts.displayPartsToString(method.getDocumentationComment(this.#checker)),
      examples: tagsOf('example'),
      refusals: tagsOf('throws').map((text) => oneLine(text).replace(/^\{EmulatorRefusal\} /, '')),
      call: `emulator.${name}${signature.replace(/ \| undefined(?=[,)])/g, '').replace(/ => (.+)$/, ': $1')}`,
      fields: this.#fieldsOf(found.method.declarations?.[0]),
    };
  }

  /** Read the field comments of the model in `body` or `query` of a control. */
  #fieldsOf(declaration: ts.Declaration | undefined): ReadonlyMap<string, string> {
    const comments = new Map<string, string>();
    const visit = (node: ts.Node): void => {
      if (ts.isPropertyAssignment(node) && /^(?:body|query)$/.test(node.name.getText())) {
        const { initializer } = node;
        // In `ref<NewConnection>(newConnection)`, the model is the argument.
        const model = ts.isCallExpression(initializer) ? initializer.arguments[0]! : initializer;
        const shape = this.#checker.getPropertyOfType(this.#checker.getTypeAtLocation(model), 'shape');
        if (!shape) return;
        for (const field of this.#checker.getPropertiesOfType(this.#checker.getTypeOfSymbol(shape)))
          comments.set(field.name, oneLine(ts.displayPartsToString(field.getDocumentationComment(this.#checker))));
      } else ts.forEachChild(node, visit);
    };
    if (declaration) visit(declaration);
    return comments;
  }
}

function answerOf({ operation: { io, kind } }: NamedControl): string {
  if (io.returns === undefined) return 'nothing';
  const descriptor = descriptorOf(io.returns);
  const one = descriptor.model?.name
    ? code(descriptor.model.name)
    : fieldsOf(descriptor)
        .map(({ wire }) => code(wire))
        .join(', ');
  return kind === 'data' ? `\`data\`, a list of ${one}` : descriptor.nullable ? `${one}, or \`null\`` : one;
}

const anchorOf = (name: string): string => name.toLowerCase().replaceAll('.', '');

const sizeOf = ({ control: { maxBytes } }: NamedControl): string =>
  maxBytes ? `, with a body of at most ${maxBytes / 2 ** 20} MiB` : '';

/** Links the types in the text of a call. */
export type TypeLinks = (text: string) => readonly string[];

function sectionOf({ named: one, remarks }: DocumentedControl, linksOf: TypeLinks): string {
  const { text, refusals, call, fields, examples: inProcess } = remarks;
  const { name, operation } = one;
  const { method, path, io } = operation;
  const sent = io.body ?? io.query;
  const rows = sent
    ? fieldsOf(descriptorOf(sent)).map(({ key, field, wire }) => {
        const needed = field.optional || (field.nullable && !io.body) ? '' : 'yes';
        return `| ${code(wire)} | ${typeOf(field, code)} | ${needed} | ${fields.get(key) ?? ''} |`;
      })
    : [];
  const example = examples[name];
  return [
    `### ${name}\n`,
    `${text}\n`,
    `- Over HTTP: \`${method} ${path}\`${io.query ? ', with these parameters in the query' : ''}${sizeOf(one)}`,
    // In process, a world is an object whose methods are documented elsewhere.
    ...(forAdministrators.has(name) ? [] : [`- In process: \`${call}\``, ...typesLine(linksOf(call))]),
    `- Returns: ${answerOf(one)}`,
    ...refusals.map((refusal) => `- Errors: ${refusal}`),
    '',
    ...(rows.length > 0 ? ['| Field | Type | Required | |', '|---|---|---|---|', ...rows, ''] : []),
    ...(example ? [curlOf(name, example)] : []),
    ...inProcess.map((code) => `\`\`\`ts\n${code}\n\`\`\`\n`),
  ].join('\n');
}

const typesLine = (links: readonly string[]): string[] => (links.length > 0 ? [`- Types: ${links.join(', ')}`] : []);

/** A control with its documentation. */
export interface DocumentedControl {
  readonly named: NamedControl;
  readonly remarks: Remarks;
  readonly anchor: string;
  /** Whether only the administrator has it, over HTTP. */
  readonly isOverHttpOnly: boolean;
}

/** Read the documentation of all controls. */
export function documentedControls(): DocumentedControl[] {
  const comments = new Comments();
  return namedControlsOf({ ...controls, ...administratorControls }).map((named) => ({
    named,
    remarks: comments.of(named.name),
    anchor: anchorOf(named.name),
    isOverHttpOnly: forAdministrators.has(named.name),
  }));
}

/** Build the page as Markdown. */
export function controlsPage(all: readonly DocumentedControl[], linksOf: TypeLinks): string {
  const rows = all.map(({ named: { name, operation }, remarks }) => {
    const [first] = remarks.text.split(/(?<=\.|;)\s/, 1);
    return `| [${code(name)}](#${anchorOf(name)}) | ${code(`${operation.method} ${operation.path}`)} | ${oneLine(first!).replace(/;$/, '.')} |`;
  });
  return `<!-- Written by \`npm run docs\` from the controls in src/emulator. Do not edit by hand. -->

# Controls of the emulator

Controls simulate changes that the API cannot make: users join and leave a customer's directory, a domain is verified, time
passes, mail arrives. Each control is a method of the emulator, and also a request under \`/_emulator\` for tests in other languages. Both
have the same parameters, effects and errors. [\`npx sallyport control\`](../emulator/run.md#from-the-command-line) sends these requests.

Like all calls to the service, these requests need an API key (401 without one). They act on the world of that key: staging, production, or a
[created](#worldscreate) one. Requests that create worlds need the administrator key (\`ak_…\`) instead, which \`npx sallyport emulator\` prints. In
process, \`emulator.worlds\` creates, lists and finds worlds. Send JSON or a form. Invalid input is rejected with 422 and the names of the invalid
fields. In process, the error is an \`EmulatorRefusal\` with the same \`status\`, \`code\` and \`errors\`. Defaults of optional fields are in their
descriptions.

Responses that do not come from the emulated API have the header \`sallyport-emulator\`: \`control\`, \`page\`, \`health\`, \`no-such-path\`,
\`method-not-allowed\`, \`not-emulated\`, \`stranger\`, \`no-such-world\` or \`fault\`. A 404 with \`no-such-path\` means that the path does
not exist. A 501 or 422 with \`not-emulated\` means that the service has the operation or field, and [the emulator does
not](../emulator/run.md#what-is-not-emulated). A 404 without the header means that the object does not exist. A 403 with \`stranger\` means that the emulator [does not
answer](../emulator/host.md#allowed-host-names) requests for this host name or from this page. \`GET /health\` needs no key. \`/_emulator/inbox\` is a page for
browsers: it needs no key, and opens like the other pages.

Some members exist only in process: \`emulator.onEvent\` calls your function; the \`clock\` option accepts your own clock, which the
clock controls also move; \`emulator.clock.now\`, \`iso\` and \`schedule\`, \`emulator.inbox.messages\` and \`to\`,
\`emulator.deliveries\` and \`emulator.served\` return directly, without a promise; \`emulator.fetch\`, \`listen\` and \`close\`.

The examples run against \`npx sallyport emulator --seed examples/company.yaml\`, which prints the required variables.

| Control | Request | |
|---|---|---|
${rows.join('\n')}

${all.map((one) => sectionOf(one, linksOf)).join('\n')}`;
}
