import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../http/router.js';
import { unprocessableField } from '../../store/refusal.js';
import { checkAccess, checkEachAccess } from './access.js';
import { searchAccess } from './access-search.js';
import { checkWarrantToken } from './warrant-tokens.js';

/** Access checks and queries. */
export const checkRoutes: RoomPart = {
  routes(router) {
    router.on(api.check, ({ memory, body, request }) => {
      checkWarrantToken(request);
      return checkAccess(memory, body);
    });

    router.on(
      api.checkBatch,
      ({ memory, body, request }) => {
        checkWarrantToken(request);
        return checkEachAccess(memory, body);
      },
      { when: ({ body }) => (body as { op?: unknown } | undefined)?.op === 'batch' },
    );

    router.list(
      api.query,
      ({ memory, query, list, request }) => {
        checkWarrantToken(request);
        refuseBadContext(query.context);
        if (!query.q) throw unprocessableField('q', 'required', 'is required');
        return searchAccess(memory, query.q, list);
      },
      { order: 'asc' },
    );
  },
};

/** Refuse an invalid context, as the service does. A valid one is ignored, because the emulator has no policies. */
function refuseBadContext(context: string | undefined): void {
  if (context === undefined) return;
  let value: unknown;
  try {
    value = JSON.parse(context);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unprocessableField('context', 'invalid_format', 'must be a JSON object, encoded as a string');
}
