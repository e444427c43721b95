import { type Round, racer, type Setup } from './racer.js';

// Runs in a separate process. The first message sets it up, and every later message is a round.
let race: ReturnType<typeof racer> | undefined;
process.on('message', async (message: Setup | Round) => {
  if (!('cookie' in message)) race = racer(message);
  else process.send?.(await race?.(message));
});
