/** The part of MSW's `http` that `mswHandlers` uses. */
export interface MswHttp<Handler> {
  all(path: string, answer: (about: { readonly request: Request }) => Promise<Response>): Handler;
}

/** An emulator or one of its worlds. */
export interface Answering {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly credentials: { readonly baseUrl: string };
}

/**
 * Create MSW handlers that forward requests for the service to an emulator or to one of its worlds.
 *
 * @param http The `http` of MSW.
 * @param baseUrl Base URL that the code under test uses. Default: the URL of the emulator.
 * @example
 * const server = setupServer(...mswHandlers(http, emulator, 'https://api.example.com'));
 */
export function mswHandlers<Handler>(
  http: MswHttp<Handler>,
  { fetch, credentials }: Answering,
  baseUrl?: string,
): Handler[] {
  const target = credentials.baseUrl.replace(/\/$/, '');
  const source = (baseUrl ?? target).replace(/\/$/, '');
  return [
    http.all(`${source}/*`, ({ request }) => fetch(new Request(target + request.url.slice(source.length), request))),
  ];
}
