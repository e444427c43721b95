import picocolors from 'picocolors';

const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
// A job of continuous integration has no terminal, and its logs are read as they are.
const isTerminal = process.stdout.isTTY && process.stderr.isTTY && TERM !== 'dumb';

/** Colours where a terminal shows them; elsewhere the text alone. */
export const pc = picocolors.createColors(!NO_COLOR && Boolean(FORCE_COLOR || isTerminal));
