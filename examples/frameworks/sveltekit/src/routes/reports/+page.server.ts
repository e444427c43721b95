import { error } from '@sveltejs/kit';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { auth } }) => {
  if (!auth.session?.has({ permission: 'reports:read' })) error(403, 'You may not read reports');
  return { organization: auth.session.organizationId };
};
