import { Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';

// Without options, both read environment variables.
const sallyport = new Sallyport();
const sessions = createSessions();

/** Respond with the names of the organizations that the user belongs to. */
export async function account(request) {
  const { status, session, headers } = await sessions.handle(request);
  if (!session) return new Response(null, { status: status === 'retry_later' ? 503 : 401, headers });
  const { data } = await sallyport.userManagement.listOrganizationMemberships({ userId: session.userId });
  const organizations = await Promise.all(
    data.map(({ organizationId }) => sallyport.organizations.getOrganization(organizationId)),
  );
  return Response.json(
    organizations.map(({ name }) => name),
    { headers },
  );
}
