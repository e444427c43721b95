import fc from '../runner/property.js';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_*~.=+/%; "\\\0\n\u00fc\u212a';

/** Changes that an attacker can make to a seal without the password. Parts of another seal can be mixed in. */
export function mutated(valid: string, other: string): fc.Arbitrary<string> {
  const at = fc.nat(valid.length - 1);
  const letter = fc.constantFrom(...letters);
  const part = fc.nat(7);
  const mutation: fc.Arbitrary<(text: string) => string> = fc.oneof(
    fc.tuple(at, letter).map(
      ([place, by]) =>
        (text: string) =>
          text.slice(0, place) + by + text.slice(place + 1),
    ),
    fc.tuple(at, letter).map(
      ([place, by]) =>
        (text: string) =>
          text.slice(0, place) + by + text.slice(place),
    ),
    fc.tuple(at, fc.nat(40)).map(
      ([place, length]) =>
        (text: string) =>
          text.slice(0, place) + text.slice(place + length),
    ),
    at.map((end) => (text: string) => text.slice(0, end)),
    at.map((start) => (text: string) => text.slice(start)),
    fc.tuple(at, at).map(
      ([from, to]) =>
        (text: string) =>
          text.slice(0, to) + text.slice(from, from + 20) + text.slice(to),
    ),
    // The bits of one letter, for flipped bits of the signature or the content.
    fc.tuple(at, fc.nat(6)).map(([place, bit]) => (text: string) => {
      const code = (text.charCodeAt(place) || 0) ^ (1 << bit);
      return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
    }),
    fc.tuple(part, part).map(([one, two]) => (text: string) => {
      const parts = text.split('*');
      [parts[one], parts[two]] = [parts[two] ?? '', parts[one] ?? ''];
      return parts.join('*');
    }),
    part.map((which) => (text: string) => {
      const theirs = other.split('*');
      return text
        .split('*')
        .map((mine, place) => (place === which ? (theirs[place] ?? mine) : mine))
        .join('*');
    }),
    fc.tuple(part, fc.constantFrom('', '0', '-1', '1e99', 'NaN', '__proto__', '2', '99999999999999999999')).map(
      ([which, by]) =>
        (text: string) =>
          text
            .split('*')
            .map((mine, place) => (place === which ? by : mine))
            .join('*'),
    ),
    fc.constantFrom(
      (text: string) => text.toLowerCase(),
      (text: string) => text.toUpperCase(),
      (text: string) => encodeURIComponent(text),
      (text: string) => `${text}*`,
      (text: string) => text + text,
      (text: string) => [...text].reverse().join(''),
      (text: string) => text.normalize('NFKD'),
      (text: string) => `2~${text}`,
    ),
  );
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
  return mutations.map((steps) => steps.reduce((text, step) => step(text), valid));
}
