/** A request as a line for the shell. */
interface ShellRequest {
  readonly method: string;
  readonly url: string;
  /** JSON or a form; null for none. */
  readonly body: string | null;
  readonly idempotencyKey?: string | null;
}

/** A request as a line for the shell; the key comes from the environment. */
export function curlOf({ method, url, body, idempotencyKey = null }: ShellRequest): string {
  // A form is what curl takes a body for by itself.
  const type = body !== null && /^[[{]/.test(body) ? ["-H 'Content-Type: application/json'"] : [];
  // A bracket in an address stands for several of them, and a body that begins with @ for a file.
  const plain = /[[\]{}]/.test(url) ? '-g ' : '';
  const data = body?.startsWith('@') ? '--data-raw' : '-d';
  return [
    `curl ${plain}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    ...(idempotencyKey === null ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === null ? [] : [[...type, `${data} ${quoted(body)}`].join(' ')]),
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
