import { bytesIn } from '#crypto/sessions';
import { parsedJson } from '../http/json.js';

/** What a part of a token says; undefined for what is no JSON in base64url. */
export function jsonPart(letters: string | undefined): unknown {
  try {
    return parsedJson(bytesIn(letters ?? ''));
  } catch {
    return undefined;
  }
}
