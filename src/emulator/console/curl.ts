/** A request as a line for the shell. */
interface ShellRequest {
  readonly method: string;
  readonly url: string;
  /** An object or a list in JSON, or a form; null if there is none. */
  readonly body: string | null;
  readonly idempotencyKey?: string | null;
}

/** Write a request as a line for the shell. The API key comes from the environment. */
export function curlOf({ method, url, body, idempotencyKey = null }: ShellRequest): string {
  // A form is what curl takes a body for by itself.
  const type = body !== null && /^[[{]/.test(body) ? ["-H 'Content-Type: application/json'"] : [];
  // curl takes brackets in an address for a range of addresses.
  const plain = /[[\]{}]/.test(url) ? '-g ' : '';
  return [
    `curl ${plain}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    ...(idempotencyKey === null ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === null ? [] : [[...type, `-d ${quoted(body)}`].join(' ')]),
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
