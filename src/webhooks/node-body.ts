import { joined } from '../http/body.js';
import { bodyIncomplete, tooLarge } from './refusals.js';
import type { NodeWebhookRequest } from './request.js';

/** The part of Node's request that is needed to read its body. */
interface NodeStream extends Pick<NodeWebhookRequest, 'headers' | 'on'> {
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
  off(event: string, listener: (...args: never[]) => void): unknown;
  pause(): unknown;
}

/** Whether a value is a Node request. */
export const isNodeRequest = (value: unknown): value is NodeStream => {
  const { headers, on, off } = Object(value) as Partial<NodeStream>;
  return typeof headers === 'object' && typeof on === 'function' && typeof off === 'function';
};

/** Whether the body was read, at least in part. */
export const hasBeenRead = ({ readableDidRead, readableEnded }: NodeStream): boolean =>
  Boolean(readableDidRead || readableEnded);

/**
 * Read the body of a Node request. Stops if the body is too large, and keeps the connection open for the response.
 *
 * @throws {WebhookVerificationError} The body is too large, or ended early.
 */
export const readNodeBody = (request: NodeStream, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
      settle();
    };
    const refuse = (): void =>
      end(() => {
        request.pause();
        reject(tooLarge(maxBytes));
      });
    const listeners = {
      data(chunk: Uint8Array | string) {
        const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
        chunks.push(bytes);
        size += bytes.length;
        if (size > maxBytes) refuse();
      },
      end: () => end(() => resolve(joined(chunks, size))),
      error: (cause: unknown) => end(() => reject(bodyIncomplete(cause))),
      close: () => end(() => reject(bodyIncomplete())),
    };
    if (request.destroyed) reject(bodyIncomplete());
    else if (Number(request.headers['content-length']) > maxBytes) refuse();
    else for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
  });
