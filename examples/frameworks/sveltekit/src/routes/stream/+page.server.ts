import { opened } from '../../lib/server/gate';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals }) => ({
  email: opened().then(() => locals.auth.session?.user.email),
});
