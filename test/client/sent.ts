import { Transport } from '../../src/transport/transport.js';

/** A request as the service received it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A transport that records its requests and answers them with these bodies, repeating the last one. */
export function recorded(...answers: readonly unknown[]): { transport: Transport; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.text();
    sent.push({
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return answer === undefined ? new Response(null, { status: 200 }) : Response.json(answer);
  };
  const transport = new Transport({
    apiKey: 'sk_test_0123456789abcdef',
    clientId: 'client_01',
    baseUrl: 'https://service.test',
    fetch,
  });
  return { transport, sent };
}

/** One page of a list on the wire. */
export const page = (data: readonly unknown[], after: string | null = null): unknown => ({
  object: 'list',
  data,
  list_metadata: { before: null, after },
});
