import {
  argumentsOf,
  type ControlArgument,
  dialects,
  emulatedOf,
  type NamedControl,
  parametersOf,
  parserOf,
  readPayload,
} from '../../emulator/command-line.js';
import { didYouMean } from '../../errors/nearest.js';
import { CommandError } from '../command-error.js';

const seeHelp = ({ name }: NamedControl): string => `Run sallyport control ${name} --help to see its arguments.`;

/** Read `name=value` pairs, and values that are named by their position. */
export function readArguments(named: NamedControl, values: readonly string[]): Readonly<Record<string, unknown>> {
  const known = argumentsOf(named);
  const positional = known.filter(({ isPositional }) => isPositional);
  let at = 0;
  return Object.fromEntries(
    values.map((value) => {
      const [, name, rest] = /^([a-z_]\w*)=(.*)$/is.exec(value) ?? [];
      const argument = name === undefined ? positional[at++] : known.find((one) => one.name === name);
      if (argument) return [argument.name, parseValue(argument, rest ?? value)];
      if (name === undefined)
        throw new CommandError(`Value ${at} of ${named.name} needs a name: write name=value. ${seeHelp(named)}`);
      const suggestion = didYouMean(
        name,
        known.map((one) => one.name),
      );
      throw new CommandError(`${named.name} has no argument ${name}${suggestion || '.'} ${seeHelp(named)}`);
    }),
  );
}

/** Parse lists and objects. Numbers and booleans stay text, because the parser of the emulator converts them, as in a form. */
function parseValue({ field }: ControlArgument, value: string): unknown {
  if (field.nullable && value === 'null') return null;
  if (/^(?:string|number|integer|boolean)$/.test(field.kind)) return value;
  const parsed = parseJson(value);
  return field.kind === 'array' && !Array.isArray(parsed) ? value.split(',') : (parsed ?? value);
}

/** Parse JSON. Returns undefined if it is not JSON. */
function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Parse the arguments on standard input. */
export function parseFields(json: string): object {
  const fields = parseJson(json);
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields;
  throw new CommandError('With --stdin, standard input must be a JSON object with the arguments.');
}

/** Check the arguments by the description of the control. @throws {CommandError} @throws {EmulatorRefusal} */
export function checkArguments(named: NamedControl, fields: Readonly<Record<string, unknown>>) {
  const { operation } = named;
  const parameters = parametersOf(operation.path);
  const missing = parameters.find((one) => fields[one] === undefined);
  if (missing) throw new CommandError(`${named.name} needs ${missing}. ${seeHelp(named)}`);
  const value = Object.fromEntries(Object.entries(fields).filter(([one]) => !parameters.includes(one)));
  return {
    pathValues: parameters.map((one) => fields[one]),
    payload: readPayload({ parser: parserOf(emulatedOf(dialects.spec)) }, operation, { value, texts: true }),
  };
}
