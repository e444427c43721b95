import { type Round, racer, type Setup } from './racer.js';

// A process of its own: a first message sets up, every other is a round.
let race: ReturnType<typeof racer> | undefined;
process.on('message', async (message: Setup | Round) => {
  if (!('cookie' in message)) race = racer(message);
  else process.send?.(await race?.(message));
});
