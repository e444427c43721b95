#!/usr/bin/env node
import { cac } from 'cac';
import { isErrorOfSallyport, redact } from '../errors/index.js';
import { version } from '../version.js';
import { pc } from './colours.js';
import type { DeadLetterFlags } from './dead-letters.js';
import { runDev } from './dev.js';
import { runInit } from './init.js';
import { printableLines } from './printable.js';
import { Refusal } from './refusal.js';
import { runEmulator } from './run-emulator.js';
import { addOptions, helpOf, purposes } from './tasks.js';

const fail = (message: string): never => {
  process.stderr.write(`${pc.red('sallyport:')} ${printableLines(message)}\n`);
  process.exit(1);
};

const messageOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message : String(error)).replace(/[^.!?]$/, '$&.');

/** Ends with what a command came to, although something may still be open. */
const ends =
  <Flags>(run: (flags: Flags) => Promise<number>) =>
  async (flags: Flags): Promise<void> =>
    process.exit(await run(flags));

// Whoever read what is printed may have gone, as in `| head -1`; each command says what follows from that.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const cli = cac('sallyport');
addOptions(cli.command('init', purposes.init), 'init')
  .usage('init [options]')
  .example('npx sallyport init')
  .action(ends(runInit));
addOptions(cli.command('dev', purposes.dev), 'dev')
  .usage('dev [options] -- <command>')
  .example('sallyport dev -- npm run dev')
  .action(ends(runDev));
addOptions(cli.command('emulator', purposes.emulator), 'emulator')
  .usage('emulator [options]')
  .example('sallyport emulator --port 4100 --seed company.yaml')
  .action(runEmulator);
addOptions(cli.command('dead-letters <action> [id]', purposes['dead-letters']), 'dead-letters')
  .usage('dead-letters list|show|edit|replay|remove [id] [options]')
  .example('npx sallyport dead-letters list --database postgres://localhost/app')
  .action(async (action: string, id: string | undefined, flags: DeadLetterFlags) => {
    // Only who asks for it pays for what it loads.
    const { runDeadLetters } = await import('./dead-letters.js');
    process.exit(await runDeadLetters(action, id, flags));
  });
cli.help((sections) => helpOf(sections, cli.matchedCommandName));
cli.version(version);

try {
  cli.parse(process.argv, { run: false });
  const isHelpOrVersion = cli.options.help === true || cli.options.version === true;
  if (!cli.matchedCommand && !isHelpOrVersion) {
    const [name] = cli.args;
    const problem = name === undefined ? 'Say what to run' : `There is no command ${JSON.stringify(name)}`;
    if (process.argv.length > 2) fail(`${problem}. Run sallyport --help to see what there is.`);
    cli.outputHelp();
  }
  if (cli.matchedCommandName === 'dev' && cli.args.length > 0)
    fail('Write -- before the command that starts your application: sallyport dev -- npm run dev.');
  await cli.runMatchedCommand();
} catch (error) {
  const isOurs = isErrorOfSallyport(error) || error instanceof Refusal;
  fail(isOurs ? messageOf(error) : `${messageOf(error)} Run sallyport ${cli.matchedCommandName ?? ''} --help.`);
}
