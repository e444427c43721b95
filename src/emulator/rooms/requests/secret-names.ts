import type { Codec } from '../../../service/describe/codec.js';
import type { Descriptor } from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { operations } from '../../../service/operations.js';

/** Names of secrets in hosted forms and in URLs, which no operation describes. */
const pageSecretNames = ['authorization', 'confirmation', 'form_token', 'new_password', 'password', 'ticket', 'token'];

/** Whether a name is that of a secret, in any spelling: `client_secret`, `clientSecret`, `user[client_secret]`. */
export type IsSecret = (name: string) => boolean;

const recognizers = new WeakMap<Codec, IsSecret>();

/** Get the function that recognizes the secret names of a codec. */
export function secretNamesOf(codec: Codec): IsSecret {
  let recognizer = recognizers.get(codec);
  if (!recognizer) {
    recognizer = recognizerOf(codec);
    recognizers.set(codec, recognizer);
  }
  return recognizer;
}

function recognizerOf(codec: Codec): IsSecret {
  const words = new Set(pageSecretNames.map(wordOf));
  const seen = new Set<object>();
  const gather = (key: string, field: Descriptor): void => {
    if (field.secret) for (const name of codec.wireNames(key, field)) words.add(wordOf(name));
    if (field.element) gather(key, field.element);
    const { model } = field;
    if (!model || seen.has(model)) return;
    seen.add(model);
    for (const [inner, descriptor] of Object.entries(model.shape)) gather(inner, descriptor);
  };
  for (const { io } of Object.values(operations))
    for (const described of [io.body, io.query, io.returns]) if (described) gather('', descriptorOf(described));
  return (name) => name.split(/[[\].]+/).some((part) => isSecretWord(wordOf(part), words));
}

const isSecretWord = (word: string, words: ReadonlySet<string>): boolean =>
  words.has(word) || /(?:passwo?r?d|secret)$/.test(word);

const wordOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
