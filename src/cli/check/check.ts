import { sleep } from '../../async/sleep.js';
import { pc } from '../colours.js';
import { CommandError } from '../command-error.js';
import { printable, printableJson } from '../printable.js';
import { answerFindings, callOperations } from './answers.js';
import { Courier } from './courier.js';
import { receive, subscribe } from './delivery.js';
import { type Finding, NotTried, type Outcome, type Probe } from './finding.js';
import { Ledger, ledgerFile, type Made } from './ledger.js';
import { idempotency, membershipStatuses, userCreated } from './probes.js';
import { sessionProbes } from './sessions.js';
import { type Clock, type Settings, settingsOf } from './settings.js';
import { makeStage } from './stage.js';

/** Parsed flags of `sallyport check`. */
export interface CheckFlags {
  readonly mailTo?: string;
  readonly webhookUrl?: string;
  readonly allowProduction?: boolean;
  readonly clean?: boolean;
  readonly json?: boolean;
}

/** What a run takes from its process. */
export interface Surroundings extends Clock {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Print a line of the report. */
  readonly print: (line: string) => void;
  /** Print a line about the progress. */
  readonly tell: (line: string) => void;
}

/** Compare a deployment with what this package says about the service, and return the exit code. */
export async function runCheck(flags: CheckFlags): Promise<number> {
  const stop = new AbortController();
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const [name, code] of Object.entries(codes))
    process.on(name, () => {
      // A second signal ends the process. The next run names what is left.
      if (stop.signal.aborted) process.exit(code);
      stop.abort(code);
    });
  try {
    return await check(flags, {
      folder: process.cwd(),
      env: process.env,
      now: Date.now,
      sleep: (ms) => sleep(ms, stop.signal),
      signal: stop.signal,
      print: (line) => process.stdout.write(`${line}\n`),
      tell: (line) => process.stderr.write(`${line}\n`),
    });
  } catch (error) {
    if (stop.signal.aborted && error === stop.signal.reason) return stop.signal.reason;
    throw error;
  }
}

/** Run the check in its surroundings. @throws The reason of the signal, after everything was removed. */
export async function check(flags: CheckFlags, surroundings: Surroundings): Promise<number> {
  const { folder, env, tell } = surroundings;
  const settings = settingsOf(folder, env, flags.allowProduction === true);
  const file = ledgerFile(settings, env);
  const left = Ledger.left(file);
  if (flags.clean) return clean(settings, left, surroundings);
  if (left)
    throw new CommandError(
      `An earlier run has not removed what it made, or is still running:\n${listOf(left.left())}\nRun sallyport check --clean to remove it.`,
    );
  for (const line of preamble(settings, flags)) tell(line);
  const receiver = flags.webhookUrl === undefined ? undefined : await receive(String(flags.webhookUrl));
  const courier = new Courier(settings, Ledger.start(file), surroundings);
  const findings: Finding[] = [];
  const report = ({ says, happened, outcome }: Finding): void => {
    const finding = { says: courier.withoutSecrets(says), happened: courier.withoutSecrets(happened), outcome };
    findings.push(finding);
    if (!flags.json) surroundings.print(lineOf(finding));
  };
  try {
    await courier.checkKey();
    const deliveryOf = receiver && (await subscribe(courier, receiver));
    await probeAll(courier, report, flags, deliveryOf);
  } catch (error) {
    throw error instanceof CommandError ? new CommandError(courier.withoutSecrets(error.message)) : error;
  } finally {
    const remaining = await removeAll(courier);
    receiver?.close();
    if (remaining.length > 0)
      tell(`These objects are left. Run sallyport check --clean to remove them:\n${listOf(remaining)}`);
  }
  for (const finding of answerFindings(courier)) report(finding);
  const count = (outcome: Outcome): number => findings.filter((one) => one.outcome === outcome).length;
  const isLeft = Ledger.left(file) !== undefined;
  if (flags.json)
    surroundings.print(printableJson({ host: settings.host, dialect: settings.dialectName, findings, isLeft }));
  else
    surroundings.print(
      `\n${count('holds')} hold, ${count('differs')} differ, ${count('not offered')} not offered, ${count('not tried')} not tried`,
    );
  return count('differs') > 0 || isLeft ? 1 : 0;
}

type DeliveryOf = Awaited<ReturnType<typeof subscribe>>;

/** Run all probes. The replays wait at the same time, so that the whole takes less than two minutes. */
async function probeAll(
  courier: Courier,
  report: (finding: Finding) => void,
  { mailTo }: CheckFlags,
  deliveryOf: DeliveryOf | undefined,
): Promise<void> {
  const probe = async ({ says, run }: Probe): Promise<void> => {
    const { happened, outcome } = await run().catch((error) => {
      if (error instanceof NotTried) return { happened: error.message, outcome: 'not tried' as const };
      throw error;
    });
    report({ says, happened, outcome });
  };
  const stage = await makeStage(courier);
  const { wrongPassword, firstRefresh, atOnce, replay, ofOneSession, revoke } = sessionProbes(stage);
  await probe(userCreated(stage));
  if (deliveryOf) await probe(deliveryOf(() => stage.userId));
  const replays = [5_000, 25_000, 40_000].map(replay);
  for (const { begin } of replays) await begin();
  for (const one of replays) await probe(one.probe);
  await callOperations(stage, mailTo === undefined ? undefined : String(mailTo));
  for (const one of [
    idempotency(stage),
    membershipStatuses(stage),
    wrongPassword,
    firstRefresh,
    atOnce(true),
    atOnce(false),
    ...ofOneSession(),
    revoke,
  ])
    await probe(one);
}

/** Remove what this run has made, newest first. Returns what is left. */
async function removeAll(courier: Courier): Promise<readonly Made[]> {
  await courier.startRemoving();
  for (const made of courier.ledger.left()) await courier.remove(made).catch(() => false);
  courier.ledger.close();
  return courier.ledger.left();
}

async function clean(settings: Settings, left: Ledger | undefined, surroundings: Surroundings): Promise<number> {
  const { print } = surroundings;
  if (!left) {
    print(`Nothing is left at ${settings.host}.`);
    return 0;
  }
  print(`Left at ${settings.host} by an earlier run:\n${listOf(left.left())}`);
  const remaining = await removeAll(new Courier(settings, left, surroundings));
  if (remaining.length === 0) print('Removed.');
  else print(`Not removed:\n${listOf(remaining)}`);
  return remaining.length === 0 ? 0 : 1;
}

const listOf = (left: readonly Made[]): string =>
  left
    .map(
      ({ operation, name, id }) =>
        `  ${operation.split('.', 1)} ${printable(name)} ${id ? `(${printable(id)})` : '(the id is not known: look for it in the dashboard)'}`,
    )
    .join('\n');

function preamble(
  { host, clientId, isProduction, dialectName }: Settings,
  { mailTo, webhookUrl }: CheckFlags,
): string[] {
  return [
    `Host          ${host}, in dialect ${dialectName}`,
    `Environment   ${isProduction ? 'the API key does not begin with sk_test_: this may be production' : 'staging'}, client id ${printable(clientId)}`,
    'Will make     two organizations with a domain, a user with a password, a membership, a factor',
    ...(mailTo === undefined
      ? []
      : [`              a user and an invitation for ${printable(String(mailTo))}, which is mailed`]),
    ...(webhookUrl === undefined ? [] : ['              a webhook endpoint']),
    'Will remove   all of it, also after Ctrl+C. It takes about a minute.\n',
  ];
}

const colors: Readonly<Record<Outcome, (text: string) => string>> = {
  holds: pc.green,
  differs: pc.red,
  'not offered': pc.yellow,
  'not tried': pc.dim,
};

const lineOf = ({ says, happened, outcome }: Finding): string =>
  `${colors[outcome](outcome.padEnd(11))}  ${printable(says)}: ${printable(happened)}`;
