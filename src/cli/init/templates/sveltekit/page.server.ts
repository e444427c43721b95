import type { PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals }) => ({ email: locals.auth.session?.user.email });
