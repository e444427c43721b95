import { chainOf } from '../errors/printable-cause.js';
import { isText } from './json.js';

/** The code and the messages of an error and its causes. */
export function textsOf(thrown: unknown): string[] {
  const chain = chainOf(thrown);
  const code = chain.map((error) => error.code).find(isText);
  return [code, ...(isText(thrown) ? [thrown] : chain.map(({ message }) => message))].filter(isText);
}

/**
 * Failures that no retry cures, in the codes and messages of all runtimes, and what to do about them. A host in a message is in lower
 * case and has no spaces, so it matches none.
 */
const lasting: readonly (readonly [failure: RegExp, next?: string])[] = [
  [
    /CERT_|_CERT|LEAF_SIGNATURE|(?:peer|peer's|self[- ]signed|first|issuer) certificate|certificate (?:has|is) /,
    'Renew the certificate of the service, or trust the authority that signed it, such as with NODE_EXTRA_CA_CERTS',
  ],
  [/WRONG_VERSION_NUMBER|wrong version number|packet length too long/, 'Use the port for https, or http:// in baseUrl'],
  [/bad port/, 'Use another port in baseUrl: fetch refuses this one'],
  [
    /UND_ERR_INVALID_ARG|^invalid on\w+ method$/m,
    'The dispatcher belongs to another undici than fetch. Pass the fetch of its undici, too',
  ],
  // This runtime lacks something, or its `fetch` refuses what it is given.
  [/instance of AbortSignal|^\w+ is not defined$/m],
];

const lastingFailure = (thrown: unknown) => {
  const text = textsOf(thrown).join('\n');
  return lasting.find(([failure]) => failure.test(text));
};

/** Whether a failed request would fail again in the same way. */
export const isLasting = (thrown: unknown): boolean => lastingFailure(thrown) !== undefined;

/** Whether the connection was refused, because nothing listens at the address. Deno reports it only in the message. */
export const isRefused = (thrown: unknown): boolean =>
  /ECONNREFUSED|ConnectionRefused|\bconnection refused\b/i.test(textsOf(thrown).join('\n'));

/** Return what to do about a failed request: the cure if it has one, otherwise the general advice and that for a test environment. */
export const adviceFor = (thrown: unknown, general: string): string =>
  lastingFailure(thrown)?.[1] ?? [general, testEnvironmentAdvice()].filter(Boolean).join('. ');

/** Return what to do in a test environment that imitates a browser, or undefined elsewhere. */
export function testEnvironmentAdvice(): string | undefined {
  const { window, navigator } = globalThis as { window?: Pick<typeof globalThis, 'navigator'>; navigator?: Navigator };
  const userAgent = `${window?.navigator?.userAgent} ${navigator?.userAgent}`;
  const name = userAgent.includes('jsdom/') ? 'jsdom' : userAgent.includes('HappyDOM/') ? 'happy-dom' : undefined;
  return (
    name &&
    `This test runs in ${name}, which replaces parts of Node: begin its file with // @vitest-environment node or @jest-environment node`
  );
}
