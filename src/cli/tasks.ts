import type { Command } from 'cac';
import { flaggedOptions } from '../emulator/world/options.js';
import { pc } from './colours.js';

/** An option of the command line. */
interface TaskOption {
  readonly flags: string;
  readonly description: string;
  /** Default to show in the help. The command applies it. */
  readonly default?: string;
  /** Value that the parser sets if the option is not set. For a `--no-` option, it would be `true`. */
  readonly unset?: string;
}

/** Default port and host of the emulator. */
export const defaultPort = '4100';
export const defaultHost = '127.0.0.1';

/** A command of `sallyport`. */
export type CommandName = 'init' | 'dev' | 'emulator' | 'control' | 'dead-letters' | 'mirror' | 'check';

/** One-line descriptions of the commands. */
export const purposes: Readonly<Record<CommandName, string>> = {
  init: 'Set up sign-in for the project in this folder',
  dev: 'Run your application together with an emulator, ready to sign in',
  emulator: 'Run a local emulator of the service',
  control: 'Run a control of a running emulator: move its clock, read its mail, plan failures',
  'dead-letters': 'List, correct and replay events that your handler failed to process',
  mirror: 'Compare the copy in your database with the service',
  check: 'Compare your staging environment with what this package expects',
};

/** A group of options for one task, with its heading. */
interface Task {
  readonly title: string;
  readonly commands: readonly CommandName[];
  readonly options: readonly TaskOption[];
}

const emulatorCommands = ['dev', 'emulator'] as const;

/** The options of all commands, grouped by task. `tasksOf` adds the flags for options of `createEmulator`. */
const tasks: readonly Task[] = [
  {
    title: 'Choose what to write',
    commands: ['init'],
    options: [
      { flags: '--dry-run', description: 'Show what would be written, without writing it' },
      { flags: '--force', description: 'Replace existing files without asking' },
      { flags: '--framework <name>', description: 'Framework of the project (default: detected from package.json)' },
      { flags: '--no-install', description: 'Do not install packages; print the command instead' },
    ],
  },
  {
    title: 'Connect your application',
    commands: ['dev'],
    options: [
      {
        flags: '--redirect-uri <url>',
        description: 'Callback URL (default: SALLYPORT_REDIRECT_URI or /callback on the port of the app)',
      },
      {
        flags: '--webhooks <path>',
        description: 'Send webhooks to this path, such as /webhooks, and set SALLYPORT_WEBHOOK_SECRET',
      },
    ],
  },
  {
    title: 'Choose the address',
    commands: emulatorCommands,
    options: [
      { flags: '--port <port>', description: 'Port to listen on, or 0 for any free port', default: defaultPort },
      {
        flags: '--host <host>',
        description: 'Host to listen on; 0.0.0.0 lets other machines connect',
        default: defaultHost,
      },
      { flags: '--https-cert <file>', description: 'Serve HTTPS with this certificate (PEM)' },
      { flags: '--https-key <file>', description: 'Private key of the certificate (PEM)' },
    ],
  },
  {
    title: 'Load your own data',
    commands: emulatorCommands,
    options: [
      {
        flags: '--seed <file>',
        description: 'YAML, JSON, .ts or .js file with initial data (default: sallyport.seed.*)',
      },
      { flags: '--no-seed', description: 'Ignore sallyport.seed.* in this folder', unset: '' },
      { flags: '--watch', description: 'Reset the emulator when the seed file changes, and print the changes' },
    ],
  },
  { title: 'Keep data between runs', commands: emulatorCommands, options: [] },
  { title: 'Configure sign-in', commands: emulatorCommands, options: [] },
  { title: 'Match a deployment', commands: emulatorCommands, options: [] },
  {
    title: 'Use it in scripts',
    commands: ['emulator'],
    options: [
      {
        flags: '--json',
        description: 'Print JSON lines: first url, apiKey, clientId and adminKey, then each request',
      },
      { flags: '--quiet', description: 'Do not print requests' },
    ],
  },
  {
    title: 'Choose the emulator',
    commands: ['control'],
    options: [
      {
        flags: '--url <url>',
        description: `URL of the emulator (default: SALLYPORT_BASE_URL or http://${defaultHost}:${defaultPort})`,
      },
      { flags: '--api-key <key>', description: "API key (default: SALLYPORT_API_KEY or the emulator's default key)" },
      { flags: '--world <name>', description: 'Created world to act on; needs the administrator key' },
      { flags: '--admin-key <key>', description: 'Administrator key (default: SALLYPORT_ADMIN_KEY)' },
      { flags: '--allow-insecure', description: 'Allow plain http: to other machines' },
    ],
  },
  {
    title: 'Run a control',
    commands: ['control'],
    options: [
      { flags: '--list', description: 'List all controls; sallyport control <name> --help shows the arguments of one' },
      { flags: '--json', description: 'Print the answer as JSON' },
      { flags: '--stdin', description: 'Read arguments from standard input, as a JSON object' },
    ],
  },
  {
    title: 'Choose the database',
    commands: ['dead-letters'],
    options: [
      { flags: '--database <url>', description: 'PostgreSQL URL or SQLite file (default: DATABASE_URL)' },
      {
        flags: '--name <name>',
        description: 'Name of the handler, as passed to exactlyOnce',
        default: 'default',
      },
      { flags: '--prefix <prefix>', description: 'Prefix of the table names', default: 'sallyport_' },
    ],
  },
  {
    title: 'List dead letters',
    commands: ['dead-letters'],
    options: [
      { flags: '--limit <number>', description: 'Maximum number of dead letters to list', default: '50' },
      { flags: '--after <id>', description: 'List the dead letters after this id' },
      { flags: '--json', description: 'Print each dead letter as a line of JSON' },
    ],
  },
  {
    title: 'Replay dead letters',
    commands: ['dead-letters'],
    options: [
      { flags: '--with <file>', description: 'Replace the event by that in a file: the output of show, corrected' },
      { flags: '--all', description: 'Replay all dead letters' },
    ],
  },
  {
    title: 'Choose the database',
    commands: ['mirror'],
    options: [
      { flags: '--database <url>', description: 'PostgreSQL URL or SQLite file (default: DATABASE_URL)' },
      {
        flags: '--prefix <prefix>',
        description: 'Prefix of the table names (default: the only mirror of the database)',
      },
    ],
  },
  {
    title: 'Verify a mirror',
    commands: ['mirror'],
    options: [
      { flags: '--repair', description: 'Repair the differences' },
      { flags: '--json', description: 'Print the result as JSON' },
    ],
  },
  {
    title: 'Check a deployment',
    commands: ['check'],
    options: [
      { flags: '--mail-to <email>', description: 'Also send an invitation to this address' },
      { flags: '--webhook-url <url>', description: 'Also receive a webhook; forward the URL to port 4101' },
      { flags: '--allow-production', description: 'Accept a key that is not sk_test_…' },
      { flags: '--clean', description: 'Remove what a killed run has left' },
      { flags: '--json', description: 'Print the report as JSON' },
    ],
  },
];

const general: Omit<Task, 'commands'> = {
  title: 'Help',
  options: [
    { flags: '-h, --help', description: 'Show this help; sallyport help dev shows that of dev' },
    { flags: '-v, --version', description: 'Show the version' },
  ],
};

/** List the tasks of a command with all their options. */
const tasksOf = (name: string | undefined): readonly Task[] =>
  tasks
    .filter(({ commands }) => name === undefined || commands.some((one) => one === name))
    .map((task) => {
      const flags = flaggedOptions.map(({ flag }) => flag).filter((flag) => flag.task === task.title);
      return { ...task, options: [...task.options, ...flags] };
    });

/** List the options of a command as the user types them, or the general options without a command. */
export const optionsOf = (name: string | undefined): string[] =>
  [...(name === undefined ? [] : tasksOf(name)), general]
    .flatMap(({ options }) => options)
    .flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? []);

/** Add the options of a command to the parser. */
export const addOptions = (command: Command, name: CommandName): Command =>
  tasksOf(name)
    .flatMap(({ options }) => options)
    .reduce((all, { flags, description, unset }) => all.option(flags, description, { default: unset }), command);

/** A section of the help that the parser prints. */
interface Section {
  readonly title?: string;
  readonly body: string;
}

/** Build the help for one command or for all commands, with the options grouped by task. */
export function helpOf(sections: readonly Section[], name: string | undefined): Section[] {
  const listed = tasksOf(name);
  const width = Math.max(...[...listed, general].flatMap(({ options }) => options.map(({ flags }) => flags.length)));
  const lineOf = ({ flags, description, default: value }: TaskOption): string =>
    `  ${flags.padEnd(width)}  ${description}${value === undefined ? '' : ` (default: ${value})`}`;
  const sectionOf = ({ title, options }: Pick<Task, 'title' | 'options'>): Section => ({
    title,
    body: options.map(lineOf).join('\n'),
  });
  const ownersOf = (task: Task | undefined): string | undefined =>
    task?.commands.map((one) => `sallyport ${one}`).join(' and ');
  return [
    ...sections.filter(({ title = '' }) => !/^(?:Options|For more info)/.test(title)),
    ...listed.flatMap((task, at) => {
      const owners = ownersOf(task);
      const isNew = name === undefined && owners !== ownersOf(listed[at - 1]);
      return [...(isNew ? [{ body: `Options of ${owners}` }] : []), sectionOf(task)];
    }),
    sectionOf(general),
    { title: 'Disable colors', body: '  Set the environment variable NO_COLOR' },
  ].map(({ title, body }) => (title === undefined ? { body } : { title: pc.bold(title), body }));
}
