import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Sallyport } from 'sallyport';
import { type Checkpoint, follow } from 'sallyport/streams';

// A process that follows with a checkpoint in a file, and logs the events that it has handled; the test kills it at random times.

const [, , baseUrl = '', apiKey = '', checkpointFile = '', logFile = ''] = process.argv;

const read = (): string | undefined => {
  try {
    return readFileSync(checkpointFile, 'utf8');
  } catch {
    return undefined;
  }
};
const checkpoint: Checkpoint = {
  load: async () => read(),
  async save(next, previous) {
    if (read() !== previous) return false;
    writeFileSync(`${checkpointFile}.${process.pid}`, next);
    renameSync(`${checkpointFile}.${process.pid}`, checkpointFile);
    return true;
  },
};

appendFileSync(logFile, 'begin\n');
const client = new Sallyport({ baseUrl, apiKey });
const types = ['user.created', 'user.updated'] as const;
await follow(client, { checkpoint, events: types, concurrency: 4, pollMs: 250, overlapMs: 5_000 }).run(
  async (event) => {
    const { id, lastName } = event.data as { readonly id: string; readonly lastName: string };
    await new Promise((resolve) => setImmediate(resolve));
    appendFileSync(logFile, `${id} ${lastName}\n`);
  },
);
