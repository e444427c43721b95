import { Sallyport } from 'sallyport';
import { follow, followRevocations } from 'sallyport/streams';
import { application } from '../application.js';
import type { Settings } from '../settings.js';

declare const SETTINGS: Settings;

// They follow the service from their first use, because a module of a worker may not set timers while it is loaded.
const problems: string[] = [];
const client = new Sallyport(SETTINGS.service);
const stream = follow(client, { start: 'oldest' });
const revocations = followRevocations(client, { onProblem: ({ code }) => problems.push(code) });
const answer = application(SETTINGS);

export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/streams') return answer(request);
    const { value: first } = await stream[Symbol.asyncIterator]().next();
    const isReady = await revocations.ready();
    await Promise.all([stream.close({ timeoutMs: 0 }), revocations.close()]);
    return Response.json({ event: first?.event.event, isReady, problems });
  },
};
