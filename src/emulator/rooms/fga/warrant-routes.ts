import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../http/router.js';
import { unprocessableField } from '../../store/refusal.js';
import { resources } from './resources.js';
import { checkWarrantToken } from './warrant-tokens.js';
import { deleteWarrantsOf, listWarrants, writeWarrants } from './warrants.js';

export const warrantRoutes: RoomPart = {
  routes(router) {
    router.list(api.listWarrants, ({ memory, query, list, request }) => {
      checkWarrantToken(request);
      // The API can page this list only forwards.
      return listWarrants(memory, query, { ...list, before: undefined });
    });

    router.on(api.writeWarrant, ({ memory, body, raw }) => {
      refusePolicies([raw.body], () => '');
      return { warrantToken: writeWarrants(memory, [body], () => '') };
    });

    router.on(api.batchWriteWarrants, ({ memory, body, raw }) => {
      // The router sends only arrays here.
      refusePolicies(raw.body as readonly unknown[], (at) => `${at}.`);
      return { warrantToken: writeWarrants(memory, body) };
    });
  },

  start(memory) {
    memory.onDelete(resources, (resource, memory) => deleteWarrantsOf(memory, resource));
  },
};

/** Refuse policies. If one were ignored, the warrant would grant access without its conditions. @throws {EmulatorRefusal} 422. */
function refusePolicies(writes: readonly unknown[], at: (index: number) => string): void {
  for (const [index, write] of writes.entries())
    if ((write as { policy?: unknown } | null)?.policy)
      throw unprocessableField(
        `${at(index)}policy`,
        'policies_not_supported',
        'is not supported: the emulator does not evaluate policies',
      );
}
