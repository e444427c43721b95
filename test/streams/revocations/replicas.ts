import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Sallyport } from 'sallyport';
import type { createEmulator } from 'sallyport/emulator';
import type { ReplicaAnswer, ReplicaQuestion, ReplicaSetup } from './replica.js';

/** A replica in a separate process. */
export interface Replica {
  /** Asks for the results of tokens and the state of the list. */
  ask(tokens?: readonly string[]): Promise<ReplicaAnswer>;
  /** Makes it check tokens repeatedly. Each answer contains the time of the first refusal of each token. */
  watch(tokens: readonly string[]): Promise<ReplicaAnswer>;
  kill(): void;
}

/** Starts a replica from the file that `runnable` made of `replica.ts`. */
export async function startReplica(file: string, setup: ReplicaSetup): Promise<Replica> {
  const child: ChildProcess = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'spawn');
  child.send(setup);
  const sendQuestion = async (question: ReplicaQuestion): Promise<ReplicaAnswer> => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  return {
    ask: (tokens = []) => sendQuestion({ tokens }),
    watch: (tokens) => sendQuestion({ tokens, isWatched: true }),
    kill: () => child.kill('SIGKILL'),
  };
}

/** Signs a user in a number of times. Returns the tokens and a function that revokes one of the sessions. */
export async function signedInOften(emulator: Awaited<ReturnType<typeof createEmulator>>, times: number) {
  const client = new Sallyport({ ...emulator.credentials, baseUrl: emulator.url });
  const { id: userId } = await client.userManagement.createUser({ email: 'ada@acme.test', emailVerified: true });
  const tokens: string[] = [];
  for (let time = 0; time < times; time++) {
    const { code } = await emulator.impersonate({ userId, email: 'staff@acme.test', reason: 'a test' });
    tokens.push((await client.userManagement.authenticateWithCode({ code })).accessToken);
  }
  const sessionIds = tokens.map((token): string => JSON.parse(atob(token.split('.')[1]!)).sid);
  return { tokens, revoke: (at: number) => client.userManagement.revokeSession({ sessionId: sessionIds[at]! }) };
}

/**
 * Revokes one session after the other while replicas check all of them. Returns the sorted milliseconds from each revocation to the first
 * refusal in each replica. @throws A session was refused that was not revoked.
 */
export async function delaysOf(
  replicas: readonly Replica[],
  { tokens, revoke }: Awaited<ReturnType<typeof signedInOften>>,
  overMs: number,
): Promise<readonly number[]> {
  await Promise.all(replicas.map((one) => one.watch(tokens)));
  const asked: number[] = [];
  const began = Date.now();
  for (const at of tokens.keys()) {
    // The revocations are spread evenly, so that they happen at any time between two polls.
    await wait(began + (overMs * at) / tokens.length - Date.now());
    asked.push(Date.now());
    await revoke(at);
  }
  for (const end = Date.now() + 40_000; ; await wait(100)) {
    const answers = await Promise.all(replicas.map((one) => one.ask()));
    if (answers.every(({ refusedAt }) => refusedAt.every((time) => time !== null)))
      return answers
        .flatMap(({ refusedAt }) => refusedAt.map((time, at) => delay(time! - asked[at]!)))
        .sort((a, b) => a - b);
    if (Date.now() > end) throw new Error('A revoked session is not refused');
  }
}

function delay(ms: number): number {
  if (ms < 0) throw new Error('A session was refused before it was revoked');
  return ms;
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, ms)));
