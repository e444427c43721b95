import type { LookupAddress } from 'node:dns';
import type { IncomingMessage, RequestOptions } from 'node:http';

/**
 * Send a request like `fetch`. A request to a loopback address uses no proxy, follows no redirect, and accepts every certificate,
 * because servers in development sign their own.
 */
export async function loopbackFetch(request: Request): Promise<Response> {
  const addresses = await loopbackAddressesOf(new URL(request.url).hostname);
  return addresses.length === 0 ? fetch(request) : sendTo(addresses, request);
}

/** Find the loopback addresses of a host name. Returns none if the name is unknown, so that `fetch` or its proxy reports it. */
async function loopbackAddressesOf(hostname: string): Promise<readonly LookupAddress[]> {
  const [{ lookup }, { BlockList }] = await Promise.all([import('node:dns/promises'), import('node:net')]);
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  const find = (name: string) => lookup(name, { all: true });
  const addresses = await find(hostname.replace(/^\[|\]$/g, ''))
    // Many resolvers do not know that names below localhost are names of this machine (RFC 6761, section 6.3).
    .catch((error) => (hostname.endsWith('.localhost') ? find('localhost') : Promise.reject(error)))
    .catch(() => []);
  return addresses.filter(({ address, family }) => loopback.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}

/** Send a request to one of these addresses, and to no other, even if the host name has more. */
async function sendTo(addresses: readonly LookupAddress[], request: Request): Promise<Response> {
  const { method, signal, url } = request;
  const http = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const lookup: RequestOptions['lookup'] = (_name, { all }, done) =>
    all ? done(null, [...addresses]) : done(null, addresses[0]!.address, addresses[0]!.family);
  const headers = Object.fromEntries(request.headers);
  const body = new Uint8Array(await request.arrayBuffer());
  return new Promise((resolve, reject) => {
    // The shared agent of the process may use a proxy.
    const options = { method, headers, signal, lookup, agent: false, rejectUnauthorized: false };
    const sent = http.request(url, options, (answer) => {
      try {
        resolve(responseOf(answer, url));
      } catch (error) {
        sent.destroy();
        reject(error);
      }
    });
    sent.on('error', reject).end(body);
  });
}

function responseOf(answer: IncomingMessage, url: string): Response {
  const { statusCode: status = 0 } = answer;
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = [204, 205, 304].includes(status);
  if (isEmpty) answer.resume();
  const response = new Response(isEmpty ? null : streamOf(answer), { status, headers });
  return Object.defineProperty(response, 'url', { value: url });
}

function streamOf(answer: IncomingMessage): ReadableStream {
  const chunks = answer[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void answer.destroy(),
  });
}
