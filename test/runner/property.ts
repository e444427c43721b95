// fast-check with the seed of this project. `npm test` uses one seed, so that each run gives the same result. `npm run test:all`,
// and `npm test` with SALLYPORT_RANDOM=1, use a random seed and more input. A failure prints its seed.
import fc from 'fast-check';

const isRandom = process.env.SALLYPORT_TEST_ALL || process.env.SALLYPORT_RANDOM;
if (!isRandom) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_124 });

/** Return the number of runs of a property: a fifth of this many with the fixed seed, all of them with a random one. */
export const runs = (count: number): number => (isRandom ? count : count / 5);

/**
 * Whether a test tries all its cases, which takes long. `npm test` tries some of them. Each test file that imports this runs in
 * `npm run test:rest` too.
 */
export const triesAll = Boolean(process.env.SALLYPORT_TEST_ALL);

/**
 * Any text. This is `fc.string({ unit: 'binary' })` without the table of a million characters that fast-check makes for it first.
 */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.nat(0x10_f7ff).map(scalar), ...(maxLength && { maxLength }) });

/** The character of a code point, counted without surrogates. */
const scalar = (code: number): string => String.fromCodePoint(code < 0xd800 ? code : code + 0x800);

export { default } from 'fast-check';
