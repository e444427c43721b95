import { type Duration, millisecondsOf } from '../../emulator/command-line.js';
import type { EmulatorOptions } from '../../emulator/index.js';
import { type FlagKind, flaggedOptions } from '../../emulator/world/options.js';
import { CommandError } from '../command-error.js';
import { readFlagFile } from '../flag-file.js';

/** Read the values of a flag, which can be repeated. A list uses all of them, other flags the last one. */
const readers: Readonly<Record<FlagKind, (flag: string, values: readonly unknown[]) => unknown>> = {
  switch: (_, values) => values.at(-1),
  text: (_, values) => String(values.at(-1)),
  // `Number` alone would turn an empty text into 0.
  number: (_, values) => Number(/^\d+$/.exec(String(values.at(-1))) ?? Number.NaN),
  list: (_, values) => values.map(String),
  duration: (flag, values) => {
    const text = String(values.at(-1));
    // The pattern is narrower than the type.
    if (/^[1-9]\d{0,5}[smhd]$/.test(text)) return millisecondsOf(text as Duration);
    throw new CommandError(`${flag} must be a duration such as 10s, 5m, 1h or 7d, not ${JSON.stringify(text)}.`);
  },
  file: (flag, values) => readFlagFile(flag, String(values.at(-1))),
};

/** Return the options of the emulator that parsed flags set. @throws {CommandError} The message names the flag that is wrong. */
export function optionsOfFlags(flags: object): EmulatorOptions {
  const given = new Map<string, unknown>(Object.entries(flags));
  const options: Record<string, unknown> = {};
  for (const { name, flag, choices, problem } of flaggedOptions) {
    const [word = ''] = flag.flags.split(' ');
    const values = given.get(word.slice(2).replace(/-\w/g, (dash) => dash.slice(1).toUpperCase()));
    if (values === undefined) continue;
    const value = readers[flag.kind](word, [values].flat());
    const expected = choices?.includes(String(value)) === false ? choices.join(' or ') : problem(value);
    // The value is not in the message, because a key is secret.
    if (expected !== undefined) throw new CommandError(`${word} must be ${expected}.`);
    options[name] = value;
  }
  return options;
}
