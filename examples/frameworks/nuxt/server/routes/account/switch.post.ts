import { sessions } from '../../middleware/session';

export default defineEventHandler(async (event) => {
  const { organization } = await readBody<{ organization: string }>(event);
  const result = await sessions.switchOrganization(event, organization);
  for (const [name, value] of result.headers) appendResponseHeader(event, name, value);
  const page = result.status === 'refused' ? `/account?refused=${result.reason}` : '/account';
  return sendRedirect(event, page, 303);
});
