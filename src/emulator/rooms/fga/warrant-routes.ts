import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../server/router.js';
import { unprocessableField } from '../../world/refusal.js';
import { resources } from './resources.js';
import { momentOf } from './warrant-tokens.js';
import { dropWarrantsOf, listWarrants, writeWarrants } from './warrants.js';

/** Who has a relation to what. */
export const warrantRoutes: RoomPart = {
  routes(router) {
    router.list(api.listWarrants, ({ world, query, list, request }) => {
      momentOf(world, request);
      // The list only goes forward.
      return listWarrants(world, query, { ...list, before: undefined });
    });

    router.on(api.writeWarrant, ({ world, body, raw }) => {
      refusePolicies([raw.body], () => '');
      return { warrantToken: writeWarrants(world, [body], () => '') };
    });

    router.on(api.batchWriteWarrants, ({ world, body, raw }) => {
      // Only arrays come here.
      refusePolicies(raw.body as readonly unknown[], (at) => `${at}.`);
      return { warrantToken: writeWarrants(world, body) };
    });
  },

  start(world) {
    world.of(resources).onDelete((resource) => dropWarrantsOf(world, resource));
  },
};

/** A warrant with a policy gives access under conditions. To forget the policy would be to give it under none. */
function refusePolicies(writes: readonly unknown[], at: (index: number) => string): void {
  for (const [index, write] of writes.entries())
    if ((write as { policy?: unknown } | null)?.policy)
      throw unprocessableField(
        `${at(index)}policy`,
        'policies_not_supported',
        'must be left out: the emulator does not evaluate policies',
      );
}
