/** A request to write as a curl command. */
interface ShellRequest {
  readonly method: string;
  readonly url: string;
  /** A JSON object, a JSON list or a form; null without a body. */
  readonly body: string | null;
  readonly idempotencyKey?: string | null;
}

/** Write a request as a curl command. The API key comes from the environment variable `SALLYPORT_API_KEY`. */
export function curlOf({ method, url, body, idempotencyKey = null }: ShellRequest): string {
  // By default, curl sends a body as a form.
  const type = body !== null && /^[[{]/.test(body) ? ["-H 'Content-Type: application/json'"] : [];
  // Without -g, curl expands brackets in URLs.
  const plain = /[[\]{}]/.test(url) ? '-g ' : '';
  return [
    `curl ${plain}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    ...(idempotencyKey === null ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === null ? [] : [[...type, `-d ${quoted(body)}`].join(' ')]),
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
