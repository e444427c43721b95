import { fail, redirect } from '@sveltejs/kit';
import { cookiesOf } from 'sallyport/session';
import { sessions } from '../../lib/server/sessions';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { auth }, setHeaders }) => {
  // After signing out, the back button must not show the cached page.
  setHeaders({ 'cache-control': 'private, no-store' });
  return {
    email: auth.session?.user.email,
    organization: auth.session?.organizationId ?? 'no organization',
    permissions: auth.session?.permissions.join(' ') || 'nothing',
  };
};

export const actions: Actions = {
  switch: async ({ request, cookies }) => {
    const organization = String((await request.formData()).get('organization'));
    const result = await sessions.switchOrganization(request, organization);
    for (const { name, value, attributes } of cookiesOf(result.headers)) cookies.set(name, value, attributes);
    if (result.status === 'refused') return fail(403, { reason: result.reason });
    redirect(303, '/account');
  },
  refresh: async ({ request, cookies }) => {
    const { headers } = await sessions.refresh(request);
    for (const { name, value, attributes } of cookiesOf(headers)) cookies.set(name, value, attributes);
    redirect(303, '/account');
  },
};
