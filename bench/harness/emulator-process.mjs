// Runs the emulator in a separate process, to measure its CPU time and memory.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { load } from './subject.mjs';
import { collectGarbage } from './turns.mjs';

const file = fileURLToPath(import.meta.url);

/** Start the process. Each call of `start` replaces the emulator with a new one. */
export function startEmulator() {
  const child = fork(file, []);
  const ask = (question) =>
    new Promise((resolve, reject) => {
      child.once('message', (answer) => (answer.error ? reject(new Error(answer.error)) : resolve(answer)));
      child.send(question);
    });
  return {
    /** Start an emulator with this many directory users. Resolves with its URL, credentials, load time and memory. */
    start: (users) => ask({ users }),
    /** Get the milliseconds of CPU time since the last call. */
    usage: async () => (await ask('usage')).cpuMs,
    stop: () => child.kill(),
  };
}

/** Build a seed with one organization whose directory has this many users. */
export const seedOf = (users) => ({
  organizations: [{ id: 'org_bench', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] }],
  directories: [
    {
      id: 'directory_bench',
      organization_id: 'org_bench',
      name: 'Acme people',
      type: 'okta scim v2.0',
      state: 'linked',
      users: Array.from({ length: users }, (_, at) => ({
        idp_id: `okta-${at}`,
        email: `person${at}@acme.test`,
        first_name: 'Person',
        last_name: `Number ${at}`,
        username: `person${at}`,
        job_title: 'Engineer',
        custom_attributes: { cost_center: String(at % 100) },
      })),
    },
  ],
});

async function answerQuestions() {
  const { createEmulator } = await load('emulator.js');
  let emulator;
  let before = process.cpuUsage();
  const answer = async (question) => {
    if (question === 'usage') {
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      return { cpuMs: (user + system) / 1000 };
    }
    await emulator?.close();
    emulator = undefined;
    const seed = seedOf(question.users);
    const began = performance.now();
    emulator = await createEmulator({ seed });
    const loadMs = performance.now() - began;
    const url = await emulator.listen(0);
    collectGarbage();
    const { rss, heapUsed } = process.memoryUsage();
    return { url, credentials: emulator.credentials, loadMs, rssMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 };
  };
  process.on('message', (question) =>
    answer(question).then(
      (given) => process.send(given),
      (error) => process.send({ error: String(error?.message ?? error) }),
    ),
  );
}

if (process.argv[1] === file) await answerQuestions();
