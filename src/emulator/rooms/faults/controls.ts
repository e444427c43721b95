import { ref } from '../../../service/describe/define.js';
import { data, del, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../http/control.js';
import { notFound } from '../../store/refusal.js';
import { type ActiveFault, activeFault, answerFailure, type Fault, fault, type PlannedFailure } from './fault.js';
import { faults } from './faults.js';

export const failureControls = {
  /**
   * Make the next responses of an operation fail: with an error status, late, broken, or not at all. Name the
   * operation by its id in `docs/operations.md`, such as `organizations.create`, or by the client method, such as
   * `organizations.createOrganization`; `*` means all operations. Further calls queue further failures. `reset` removes
   * them. Use `faults.add` for other faults.
   *
   * @example
   * await emulator.failNext('organizations.listOrganizations', { status: 429, retryAfterMs: 0, times: 2 });
   * await sallyport.organizations.listOrganizations().withResponse(); // attempts: 3
   *
   * @throws {EmulatorRefusal} 422 for an unknown operation or contradictory fields.
   */
  failNext: control(
    post('/_emulator/failures/:operation', { body: ref<PlannedFailure>(answerFailure) }),
    ({ memory }, operation, failure: PlannedFailure = {}) => {
      memory.of(faults).add({ times: 1, ...failure, operation });
    },
  ),
};

/** Deliberate faults: responses that fail, are late or broken; events and webhooks that are late, repeated or out of order. */
export const faultControls = {
  /**
   * Add a fault. It stays active until it has occurred `times` times, is removed, or the emulator is reset. If several faults
   * match, the oldest applies.
   *
   * @example
   * await emulator.faults.add({ path: '/organizations/*', share: 0.25, status: 503 });
   * await emulator.faults.add({ of: 'events', event: 'dsync.user.updated', delay: '5s', share: 0.5 });
   *
   * @throws {EmulatorRefusal} 422 for an unknown operation or contradictory fields.
   */
  add: control(
    post('/_emulator/faults', { body: ref<Fault>(fault), returns: ref<ActiveFault>(activeFault) }),
    ({ memory }, newFault: Fault) => memory.of(faults).add(newFault),
  ),
  /** List the active faults, oldest first. */
  list: lookup(
    data('/_emulator/faults', { returns: ref<ActiveFault>(activeFault) }),
    ({ memory }) => memory.of(faults).list,
  ),
  /**
   * Remove a fault. Responses that are already delayed stay delayed.
   *
   * @throws {EmulatorRefusal} 404 if no active fault has this id.
   */
  remove: control(del('/_emulator/faults/:id', {}), ({ memory }, id) => {
    if (!memory.of(faults).remove(id)) throw notFound('fault', id);
  }),
  /** Remove all faults. Responses that are already delayed stay delayed. */
  clear: control(del('/_emulator/faults', {}), ({ memory }) => memory.of(faults).clear()),
};

/** Deliberate faults. */
export interface FaultControls extends Methods<typeof faultControls> {}
