#!/usr/bin/env node
import { cac } from 'cac';
import { redact, SallyportError } from '../errors/index.js';
import { didYouMean } from '../errors/nearest.js';
import { version } from '../version.js';
import type { CheckFlags } from './check/check.js';
import { pc } from './colours.js';
import { CommandError } from './command-error.js';
import type { ControlFlags } from './control/control.js';
import type { DeadLetterFlags } from './dead-letters/dead-letters.js';
import type { DevFlags } from './dev/dev.js';
import type { EmulatorFlags, OutputFlags } from './emulator/run-emulator.js';
import type { InitFlags } from './init/init.js';
import type { MirrorFlags } from './mirror/mirror.js';
import { printableLines } from './printable.js';
import { addOptions, helpOf, optionsOf, purposes } from './tasks.js';
import { marked, unmarked } from './typed-text.js';

const fail = (message: string): never => {
  process.stderr.write(`${pc.red('sallyport:')} ${printableLines(message)}\n`);
  process.exit(1);
};

const messageOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message : String(error)).replace(/[^.!?]$/, '$&.');

/** Run a command, and exit with its code even if handles are still open. */
const exitAfter =
  <Flags>(run: (flags: Flags) => Promise<number>) =>
  async (flags: Flags): Promise<void> =>
    process.exit(await run(flags));

// Ignore write errors: the reader of a pipe may exit first, as in `| head -1`. The emulator command has its own listener.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// Each command loads its code when it runs: the help takes 166 ms instead of 413.
const cli = cac('sallyport');
addOptions(cli.command('init', purposes.init), 'init')
  .usage('init [options]')
  .example('npx sallyport init')
  .action(exitAfter(async (flags: InitFlags) => (await import('./init/init.js')).runInit(flags)));
addOptions(cli.command('dev', purposes.dev), 'dev')
  .usage('dev [options] -- <command>')
  .example('sallyport dev -- npm run dev')
  .action(exitAfter(async (flags: DevFlags) => (await import('./dev/dev.js')).runDev(flags)));
addOptions(cli.command('emulator', purposes.emulator), 'emulator')
  .usage('emulator [options]')
  .example('sallyport emulator --port 4100 --seed company.yaml')
  .action(async (flags: EmulatorFlags & OutputFlags) =>
    (await import('./emulator/run-emulator.js')).runEmulator(flags),
  );
addOptions(cli.command('control [name] [...arguments]', purposes.control), 'control')
  .usage('control <name> [values] [name=value] [options]')
  .example('npx sallyport control clock.advance 5m')
  .example(
    'npx sallyport control createConnection organization_id=org_acme connection_type=OktaSAML domains=a.test,b.test',
  )
  .example(`npx sallyport control setCustomClaims '{"plan":"pro"}'`)
  .action(async (name: string | undefined, values: readonly string[], flags: ControlFlags) => {
    const { runControl } = await import('./control/control.js');
    process.exit(await runControl(name, values, flags));
  });
addOptions(cli.command('dead-letters <action> [id]', purposes['dead-letters']), 'dead-letters')
  .usage('dead-letters list|show|replay|remove [id] [options]')
  .example('npx sallyport dead-letters list --database postgres://localhost/app')
  .action(async (action: string, id: string | undefined, flags: DeadLetterFlags) => {
    const { runDeadLetters } = await import('./dead-letters/dead-letters.js');
    process.exit(await runDeadLetters(action, id, flags));
  });
addOptions(cli.command('mirror <action>', purposes.mirror), 'mirror')
  .usage('mirror verify [options]')
  .example('npx sallyport mirror verify --repair --database postgres://localhost/app')
  .action(async (action: string, flags: MirrorFlags) => {
    const { runMirror } = await import('./mirror/mirror.js');
    process.exit(await runMirror(action, flags));
  });
addOptions(cli.command('check', purposes.check), 'check')
  .usage('check [options]')
  .example('SALLYPORT_API_KEY=sk_test_… SALLYPORT_CLIENT_ID=client_… npx sallyport check')
  .action(exitAfter(async (flags: CheckFlags) => (await import('./check/check.js')).runCheck(flags)));
cli.help((sections) => helpOf(sections, cli.matchedCommandName));
// The parser would show the help even for unknown commands, so print it below.
cli.showHelpOnExit = false;
cli.version(version);

/** Find the first unknown option, as the user typed it. */
function unknownOption(): string | undefined {
  const name = Object.keys(cli.options).find(
    (one) => one !== '--' && !cli.matchedCommand?.hasOption(one) && !cli.globalCommand.hasOption(one),
  );
  if (name === undefined || name.length === 1) return name && `-${name}`;
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return cli.options[name] === false ? `--no-${words}` : `--${words}`;
}

/** Exit with an error if the command or an option does not exist. */
function refuseUnknown(): void {
  const { matchedCommandName: name, args } = cli;
  const option = unknownOption();
  if (name === undefined) {
    const [problem, suggestion] =
      args[0] === undefined
        ? ['No command was given', didYouMean(option ?? '', optionsOf(name))]
        : [`sallyport has no command ${JSON.stringify(args[0])}`, didYouMean(args[0], Object.keys(purposes))];
    fail(`${problem}${suggestion || '.'} Run sallyport --help to see the commands.`);
  } else if (option !== undefined) {
    const suggestion = didYouMean(option, optionsOf(name));
    fail(
      `sallyport ${name} has no option ${option}${suggestion || '.'} Run sallyport ${name} --help to see its options.`,
    );
  }
}

// Treat `help dev` as `dev --help`.
const [first, ...rest] = process.argv.slice(2);
const words = first === 'help' ? [...rest, '--help'] : process.argv.slice(2);
try {
  cli.parse([...process.argv.slice(0, 2), ...words.map(marked)], { run: false });
  cli.args = unmarked(cli.args);
  for (const [name, value] of Object.entries(cli.options)) cli.options[name] = unmarked(value);
  const isVersion = cli.options.version === true && !cli.matchedCommand;
  const isControlHelp = cli.matchedCommandName === 'control' && cli.args.length > 0;
  const isHelp = cli.options.help === true && !isControlHelp && (cli.matchedCommand || cli.args.length === 0);
  if (isHelp || words.length === 0) cli.outputHelp();
  else if (!isVersion) {
    refuseUnknown();
    if (cli.matchedCommandName === 'dev' && cli.args.length > 0)
      fail('Write -- before the command that starts your application: sallyport dev -- npm run dev.');
    await cli.runMatchedCommand();
  }
} catch (error) {
  const isOurs = error instanceof SallyportError || error instanceof CommandError;
  fail(isOurs ? messageOf(error) : `${messageOf(error)} Run sallyport ${cli.matchedCommandName ?? ''} --help.`);
}
