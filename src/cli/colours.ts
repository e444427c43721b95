import picocolors from 'picocolors';

const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
// picocolors enables colors in CI by default. CI logs are often read as plain text, so do not use colors there.
const isTerminal = process.stdout.isTTY && process.stderr.isTTY && TERM !== 'dumb';

/** Terminal colors, or plain text if the output is not a color terminal. */
export const pc = picocolors.createColors(
  !NO_COLOR && (FORCE_COLOR ? !/^(?:0|false)$/.test(FORCE_COLOR) : Boolean(isTerminal)),
);
