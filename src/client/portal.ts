import type { PortalLink, PortalLinkGenerate } from '../service/portal.js';
import type { Call } from '../transport/answer/call.js';
import { Namespace } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/request/options.js';
import { otherRooms } from './operations.js';

const api = otherRooms('portal');

/** Links to the admin portal, where your customers configure their organization. */
export class Portal extends Namespace {
  /**
   * Create a link to the admin portal that works for five minutes. Redirect the organization's administrator to it
   * immediately, and never email it.
   *
   * @throws {NotFoundError} No organization has this id.
   * @example
   * const { link } = await sallyport.portal.generateLink({ organization: acme.id, intent: 'sso' });
   */
  generateLink(payload: PortalLinkGenerate, options?: RequestOptions): Call<PortalLink> {
    return this.send(api('generateLink'), { body: payload }, options);
  }
}
