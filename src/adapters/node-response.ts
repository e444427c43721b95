import type { Answer } from './answer.js';

/** Of Node's response, which is Express's too, what is used here. */
export interface NodeResponse {
  statusCode: number;
  getHeader(name: string): number | string | string[] | undefined;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  end(body?: string): unknown;
}

/** Sets headers of a response; cookies are added to those it already sets. */
export function appendHeaders(response: NodeResponse, headers: Headers): void {
  for (const [name, value] of headers) {
    const before = name === 'set-cookie' ? response.getHeader(name) : undefined;
    response.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
  }
}

/** Sends an answer as the response. */
export function sendAnswer(response: NodeResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  appendHeaders(response, headers);
  response.end(body ?? undefined);
}
