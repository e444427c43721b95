/** Admin portal: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

export const portal: readonly SpecifiedOperation[] = [
  {
    id: 'portal.generateLink',
    method: 'POST',
    path: '/portal/generate_link',
    client: 'portal.generateLink',
    list: false,
    query: [],
    body: ['organization', 'intent', 'return_url', 'success_url'], // the last two: D-100
    returns: { kind: 'one', resource: 'portal_link' }, // D-99
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
];
