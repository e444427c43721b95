import { bytesIn } from '#crypto/sessions';
import { parsedJson } from '../http/json.js';

/** Decode a part of a token. Returns undefined unless it is JSON in base64url. */
export function jsonPart(part: string | undefined): unknown {
  try {
    return parsedJson(bytesIn(part ?? ''));
  } catch {
    return undefined;
  }
}
