import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../server/router.js';
import { unprocessableField } from '../../world/refusal.js';
import { checkAccess, checkEachAccess } from './access.js';
import { searchAccess } from './access-search.js';
import { pageByName } from './page-by-id.js';
import { momentOf } from './warrant-tokens.js';

/** Questions to the warrants: may somebody do something, and who may do what. */
export const checkRoutes: RoomPart = {
  routes(router) {
    router.on(api.check, ({ world, body, request }) => {
      return checkAccess(world, body, momentOf(world, request));
    });

    router.on(
      api.checkBatch,
      ({ world, body, request }) => {
        return checkEachAccess(world, body, momentOf(world, request));
      },
      { when: ({ body }) => (body as { op?: unknown } | undefined)?.op === 'batch' },
    );

    router.list(
      api.query,
      ({ world, query, list, request }) => {
        const moment = momentOf(world, request);
        refuseBadContext(query.context);
        if (!query.q) throw unprocessableField('q', 'required', 'is required');
        return pageByName(searchAccess(world, query.q, moment), list);
      },
      { order: 'asc' },
    );
  },
};

/** No warrant has a policy that would look at it; but what is no context would be refused by the service too. */
function refuseBadContext(context: string | undefined): void {
  if (context === undefined) return;
  let value: unknown;
  try {
    value = JSON.parse(context);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unprocessableField('context', 'invalid_format', 'must be a JSON object as text');
}
