import { Answer } from '../../http/answer.js';
import type { Wait } from '../../http/connection-failure.js';
import type { Fault } from './fault.js';

const html =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** Apply a fault to a response: replace its body or type, or break its connection. */
export function faultyAnswer(answer: Answer, { connection, body, contentType, drip }: Fault, wait: Wait): Answer {
  const type = contentType ?? (body === 'html' ? 'text/html; charset=utf-8' : undefined);
  const headers =
    type === undefined ? answer.headers : [...without(answer.headers, 'content-type'), ['content-type', type] as const];
  const kind = connection ?? (drip === undefined ? undefined : 'drip');
  return new Answer(answer.status, bodyOf(answer, body), headers, kind && { kind, wait });
}

const without = (headers: Answer['headers'], unwanted: string): Answer['headers'] =>
  headers.filter(([name]) => name !== unwanted);

function bodyOf({ body }: Answer, form: Fault['body']): Answer['body'] {
  if (form === 'html') return html;
  if (form === 'empty') return null;
  return form === 'truncated' && body !== null ? body.slice(0, Math.floor(body.length / 2)) : body;
}
