import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { isWebUri, redirectUriProblem, schemeWarning } from '../../emulator/command-line.js';
import type { Emulator, EmulatorOptions, Seed } from '../../emulator/index.js';
import { mask } from '../../errors/index.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { version } from '../../version.js';
import { pc } from '../colours.js';
import { CommandError } from '../command-error.js';
import { developmentPort } from '../development-port.js';
import { optionsOfFlags } from '../emulator/option-flags.js';
import { type EmulatorFlags, startEmulator } from '../emulator/run-emulator.js';
import { changesText, refusalText } from '../emulator/seed-texts.js';
import { userLines, usersIn } from '../emulator/seeded-people.js';
import { stateAfterExit, stateLine } from '../emulator/state-texts.js';
import { watchSeed } from '../emulator/watch-seed.js';
import { frameworkOf, manifestIn } from '../frameworks.js';
import { printable } from '../printable.js';
import { defaultPort } from '../tasks.js';
import { type Name, shell, type Variable, variablesOf } from '../variables.js';
import { runApplication } from './application.js';
import { failedDeliveryLine } from './failed-delivery.js';

/** Parsed flags of `sallyport dev`. */
export interface DevFlags extends EmulatorFlags {
  readonly redirectUri?: string;
  readonly webhooks?: string;
  /** The command that starts the application. */
  readonly '--'?: readonly string[];
}

/** The default seed: one user with all permissions, and one without any. */
const ada = { email: 'ada@acme.test', password: 'a quiet harbour at dawn' };
const grace = { ...ada, email: 'grace@acme.test' };
const company: Seed = {
  roles: [
    { slug: 'admin', name: 'Administrator', permissions: ['members:manage', 'reports:read'] },
    { slug: 'member' },
  ],
  organizations: [{ id: 'org_acme', name: 'Acme' }],
  users: [
    { id: 'user_ada', ...ada, first_name: 'Ada', last_name: 'Lovelace', email_verified: true },
    { id: 'user_grace', ...grace, first_name: 'Grace', last_name: 'Hopper', email_verified: true },
  ],
  memberships: [
    { user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'admin' },
    { user_id: 'user_grace', organization_id: 'org_acme', role_slug: 'member' },
  ],
};

/** Run the emulator and an application together until the application exits, and return its exit code. */
export async function runDev(flags: DevFlags): Promise<number> {
  const command = flags['--'] ?? [];
  if (command.length === 0)
    throw new CommandError(
      'dev needs the command that starts your application. Write it after --: sallyport dev -- npm run dev.',
    );
  const set = variablesOf(process.cwd(), process.env);
  const dialect = optionsOfFlags(flags).dialect ?? dialectOf(set);
  const redirectUri = redirectUriOf(flags, set, dialect);
  const { emulator, seed, hasMoved } = await startEmulator(
    flags,
    {
      seed: company,
      dialect,
      // Reuse the API key and the client id that the project already sets.
      apiKey: set.get('SALLYPORT_API_KEY')?.value,
      clientId: set.get('SALLYPORT_CLIENT_ID')?.value,
    },
    {
      redirectUri: redirectUri.value,
      deliveries: {
        // A development server may compile the webhook route on the first request.
        answerWithinMs: 30_000,
        firstWaitMs: 2_000,
        onFailure: (failure) => process.stderr.write(failedDeliveryLine(failure)),
      },
    },
    flags.port === undefined,
  );
  try {
    const variables = new Map([
      ...completeVariables(set, emulator, redirectUri),
      ...(await registerWebhooks(flags, redirectUri.value, emulator)),
    ]);
    const users = userLines(await usersIn(seed));
    if (flags.watch && seed)
      watchSeed(emulator, seed, {
        onChange: (file, changes) => process.stderr.write(changesText(file, changes)),
        onError: (why) => process.stderr.write(refusalText(why)),
      });
    process.stderr.write(banner(emulator, variables, signInLines(seed?.file, users), command));
    if (hasMoved)
      process.stderr.write(
        `${pc.yellow('sallyport:')} Port ${defaultPort} is in use, perhaps by another emulator, so this one listens at ${emulator.url}.\n\n`,
      );
    for (const warning of await warningsOf(emulator, variables))
      process.stderr.write(`${pc.yellow('sallyport:')} ${warning}\n\n`);
    const values = [...variables].map(([name, { value }]) => [name, value]);
    return await runApplication(command, { ...process.env, ...Object.fromEntries(values) });
  } finally {
    await emulator.close();
  }
}

/** Choose the dialect that the application has in production: that of the public service, if the project chooses no service. */
function dialectOf(set: ReadonlyMap<string, Variable>): EmulatorOptions['dialect'] {
  const dialect = set.get('SALLYPORT_DIALECT')?.value ?? (set.has('SALLYPORT_BASE_URL') ? undefined : 'workos');
  // `createEmulator` checks the name.
  return dialect as EmulatorOptions['dialect'];
}

/** Add the variables that the application needs but the project does not set. */
function completeVariables(
  set: ReadonlyMap<string, Variable>,
  { url, credentials, state, env }: Emulator,
  redirectUri: Variable,
): ReadonlyMap<string, Variable> {
  const generated = (value: string): Variable => ({ value, source: '' });
  const baseUrl = set.get('SALLYPORT_BASE_URL');
  const dialect = env.SALLYPORT_DIALECT;
  const needed: Record<Name, Variable> = {
    // A base URL in a file points to a deployment, so only a base URL from the shell overrides the emulator's.
    SALLYPORT_BASE_URL: baseUrl?.source === shell ? baseUrl : generated(url),
    SALLYPORT_CLIENT_ID: set.get('SALLYPORT_CLIENT_ID') ?? generated(credentials.clientId),
    SALLYPORT_API_KEY: set.get('SALLYPORT_API_KEY') ?? generated(credentials.apiKey),
    SALLYPORT_COOKIE_PASSWORD:
      set.get('SALLYPORT_COOKIE_PASSWORD') ??
      generated(state ? env.SALLYPORT_COOKIE_PASSWORD : randomBytes(32).toString('base64url')),
    SALLYPORT_REDIRECT_URI: redirectUri,
    ...(dialect && { SALLYPORT_DIALECT: generated(dialect) }),
  };
  return new Map([...set, ...Object.entries(needed)]);
}

/** Choose the redirect URI: the flag, the project's variable, or /callback on the port of its framework. */
function redirectUriOf(
  { redirectUri, '--': command = [] }: DevFlags,
  set: ReadonlyMap<string, Variable>,
  dialect: EmulatorOptions['dialect'],
): Variable {
  const variable =
    redirectUri === undefined
      ? (set.get('SALLYPORT_REDIRECT_URI') ?? { value: defaultRedirectUri(command), source: '' })
      : { value: String(redirectUri), source: '' };
  const { value, source } = variable;
  const isPublic = dialect === 'workos';
  if (isWebUri(value) ? parsedUrl(value) : isPublic && !redirectUriProblem(value, { dialect })) return variable;
  throw new CommandError(
    `${source ? `SALLYPORT_REDIRECT_URI in ${source}` : '--redirect-uri'} must be an absolute URL, such as http://localhost:3000/callback, or com.example.app:/callback in dialect workos, not ${JSON.stringify(value)}.`,
  );
}

/** Register the --webhooks path as an endpoint, and return the variable with its signing secret. */
async function registerWebhooks(
  { webhooks, '--': command = [] }: DevFlags,
  redirectUri: string,
  { fetch, credentials }: Emulator,
): Promise<readonly (readonly [string, Variable])[]> {
  if (webhooks === undefined) return [];
  // The URI of a native application says nothing about its server.
  const application = isWebUri(redirectUri) ? redirectUri : defaultRedirectUri(command);
  const answer = await fetch('/webhook_endpoints', {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint_url: new URL(String(webhooks), application), events: [] }),
  });
  const { secret, message } = (await answer.json()) as { readonly secret?: string; readonly message?: string };
  if (secret !== undefined) return [['SALLYPORT_WEBHOOK_SECRET', { value: secret, source: '' }]];
  throw new CommandError(
    `--webhooks must be a path of your application, such as /webhooks, not ${JSON.stringify(webhooks)}. ${message}`,
  );
}

function defaultRedirectUri(command: readonly string[]): string {
  const folder = process.cwd();
  const manifest = manifestIn(folder) ?? {};
  const given = { command: command.join(' '), variable: process.env.PORT };
  return `http://localhost:${developmentPort(folder, manifest, frameworkOf(manifest), given)}/callback`;
}

function signInLines(seed: string | undefined, users: readonly string[]): string {
  if (seed === undefined)
    return [
      `Sign in as ${pc.bold(ada.email)} with the password ${pc.bold(ada.password)}`,
      `or as ${pc.bold(grace.email)} with the same password, but without permissions`,
    ].join('\n  ');
  if (users.length === 0) return `${printable(seed)} has no users. Sign up, or add users to the file`;
  return [`Sign in as one of the users of ${printable(seed)}:`, ...users.map((user) => `  ${user}`)].join('\n  ');
}

/** Format the value of a variable for printing. Masks secrets. */
const printableValue = (name: string, { value, source }: Variable, state: Emulator['state']): string => {
  if (source && /KEY|PASSWORD|SECRET/.test(name)) return printable(mask(value));
  if (name !== 'SALLYPORT_COOKIE_PASSWORD') return printable(value);
  return state ? 'random, stored in the state file' : 'random, for this run only';
};

const banner = (
  { url, state }: Emulator,
  variables: ReadonlyMap<string, Variable>,
  person: string,
  command: readonly string[],
): string => {
  const width = Math.max(...[...variables.keys()].map((name) => name.length));
  const listOf = (title: string, isWanted: (source: string) => boolean): string => {
    const lines = [...variables]
      .filter(([, { source }]) => isWanted(source))
      .map(
        ([name, variable]) =>
          `    ${pc.dim(printable(name).padEnd(width))}  ${printableValue(name, variable, state)}\n`,
      );
    return lines.length === 0 ? '' : `  ${title}\n${lines.join('')}\n`;
  };
  const sources = new Set([...variables.values()].map(({ source }) => source).filter((source) => source));
  return [
    `\n${pc.bold('Sallyport emulator')} ${pc.dim(version)} at ${pc.cyan(url)}\n\n`,
    `  ${person}\n`,
    `  Inbox: ${url}/_emulator/inbox\n`,
    `  Console: ${url}/\n`,
    state ? `  State: ${printable(stateLine(state))}\n\n` : '\n',
    listOf('Variables set for your application', (source) => !source),
    ...[...sources].map((source) => listOf(`From ${source}`, (one) => one === source)),
    `  Starting ${pc.bold(printable(command.join(' ')))}. ${pc.dim(`Press Ctrl+C to stop both. ${stateAfterExit(state)}.`)}\n\n`,
  ].join('');
};

/** List warnings about settings that are likely to break sign-in. */
async function warningsOf({ url }: Emulator, variables: ReadonlyMap<string, Variable>): Promise<readonly string[]> {
  const baseUrl = variables.get('SALLYPORT_BASE_URL')!.value;
  const redirectUri = variables.get('SALLYPORT_REDIRECT_URI')!.value;
  const warnings: string[] = [];
  if (baseUrl !== url)
    warnings.push(
      `SALLYPORT_BASE_URL is set to ${printable(baseUrl)} in your shell, so your application uses that URL instead of the emulator. Unset it to use the emulator.`,
    );
  if (await listens(new URL(redirectUri)))
    warnings.push(
      `Another program is already listening at ${new URL(redirectUri).origin}, where users return after signing in. Stop it, or pass the callback URL of your application with --redirect-uri.`,
    );
  const ofScheme = schemeWarning(redirectUri);
  if (ofScheme) warnings.push(`${printable(ofScheme)}.`);
  return warnings;
}

/** Check whether a program is listening at a local address. Always false for other hosts. */
const listens = ({ hostname, port, protocol }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    if (hostname !== 'localhost' && !hostname.startsWith('127.')) {
      resolve(false);
      return;
    }
    const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
