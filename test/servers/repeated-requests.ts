import { inspect } from 'node:util';

// Secrets whose core of letters no encoding changes, so a text without the core holds the secret in no form; and services and functions
// of the kind of `fetch` that repeat a request.

/** The core of a secret. */
export const core = (name: string): string => `Kq7${name}Zx9`;
/** A secret that every encoding writes in another way. */
export const secretOf = (name: string): string => `a "${core(name)}" \\ / + & = % é '~!${core(name)}`;

/** The text around the first secret in a text, if there is one. */
export function leakIn(text: string): string | undefined {
  const at = text.search(/Kq7\w+Zx9/);
  return at < 0 ? undefined : text.slice(Math.max(0, at - 60), at + 40);
}

/** Every way to print a value. */
export const printed = (value: unknown): string[] => [
  inspect(value, { depth: 10, showHidden: true, maxStringLength: null }),
  JSON.stringify(value) ?? '',
  String(value),
  ...(value instanceof Error ? [value.message, value.stack ?? '', ...printed(value.cause)] : []),
];

/** A request in words, as services and proxies repeat it. */
export function repeated(input: RequestInfo | URL, { headers, body }: RequestInit = {}) {
  const url = String(input);
  const sent = typeof body === 'string' ? body : '';
  const raw = `${decodeURIComponent(url)} ${url} ${JSON.stringify(headers)} ${sent}`;
  const fields: object = sent.startsWith('{') ? JSON.parse(sent) : Object.fromEntries(new URLSearchParams(sent));
  const values = [...Object.values(Object(headers)), ...Object.values(fields)].map(String);
  return {
    url,
    raw,
    /** The values alone. */
    own: values.join(' '),
    percent: values.map(encodeURIComponent).join(' '),
    form: new URLSearchParams(values.map((value) => ['value', value])).toString(),
    json: JSON.stringify(values.map((value) => JSON.stringify(value))),
  };
}
export type Words = ReturnType<typeof repeated>;
const inHeader = (text: string): string => text.replace(/[^\x20-\xff]/g, '');

export type Service = (words: Words, status: number) => Response;
/** The ways of a service to repeat a request. */
export const services: Readonly<Record<string, Service>> = {
  'as the message, code and field errors': ({ raw, own }, status) =>
    Response.json(
      {
        message: raw,
        code: own,
        error: raw,
        error_description: raw,
        errors: [raw, { field: raw, code: own, message: raw }],
      },
      { status, headers: { 'x-request-id': inHeader(own) } },
    ),
  'as an OAuth error': ({ raw, own }, status) => Response.json({ error: own, error_description: raw }, { status }),
  'in the description of an invalid_grant error': ({ raw }, status) =>
    Response.json({ error: 'invalid_grant', error_description: raw }, { status }),
  'in percent-encoded form': ({ percent, form, url }, status) =>
    Response.json(
      { message: `${percent} ${form} ${url}`, code: percent },
      { status, headers: { 'x-request-id': form.slice(0, 4_000) } },
    ),
  'as nested JSON': ({ json }, status) => Response.json({ message: json, errors: [{ message: json }] }, { status }),
  'in a body with an unknown content type': ({ raw, own }, status) =>
    new Response(raw, { status, headers: { 'content-type': inHeader(`text/${own}`) } }),
  'as a property name and value': ({ raw }, status) =>
    Response.json({ object: raw, [raw]: raw, data: [{ [raw]: 5 }] }, { status }),
};
/** The ways of a `fetch` to fail with a request. */
export const failures: Readonly<Record<string, (words: Words) => unknown>> = {
  'in the error message and the cause': ({ raw, json, url }) =>
    new TypeError(`failed: ${raw}`, { cause: Object.assign(new Error(json), { url, code: raw }) }),
  'in percent-encoded properties': ({ percent, form, url }) =>
    Object.assign(new Error('failed'), { url, percent, deep: [{ form }] }),
  'in the error name and a property name': ({ raw }) => Object.assign(new Error('failed'), { name: raw, [raw]: 1 }),
  'as a string': ({ raw }) => raw,
  'in an object with a request property': ({ raw }) => ({ message: raw, request: new Map([['body', raw]]) }),
};
