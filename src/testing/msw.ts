/** What of `http` of MSW is used. */
export interface MswHttp<Handler> {
  all(path: string, answer: (about: { readonly request: Request }) => Promise<Response>): Handler;
}

/** An emulator or a world of it, as far as it answers requests. */
export interface Answering {
  readonly fetch: typeof fetch;
  readonly credentials: { readonly baseUrl: string };
}

/**
 * Handlers for MSW that have an emulator, or a world of it, answer what is sent to the service. Pass `http` of MSW.
 *
 * @param baseUrl The address that the code under test sends its requests to; that of the emulator when not given.
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
