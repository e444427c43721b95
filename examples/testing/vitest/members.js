import { createSessions } from 'sallyport/session';

/** Handle GET /members, which lists the members of the session's organization, and POST /members, which invites a user. */
export function membersOf({ sallyport, password, credentials, fetch }) {
  const sessions = createSessions({ ...credentials, cookiePassword: password, fetch });
  return async (request) => {
    const { status, session, headers } = await sessions.handle(request);
    if (!session) return new Response(null, { status: status === 'retry_later' ? 503 : 401, headers });
    const { organizationId } = session;
    if (request.method === 'POST') {
      const { email } = await request.json();
      if (!email?.includes('@')) return Response.json({ error: 'email' }, { status: 422, headers });
      const invitation = await sallyport.userManagement.sendInvitation({ email, organizationId, expiresInDays: 7 });
      return Response.json({ id: invitation.id }, { status: 201, headers });
    }
    const { data } = await sallyport.userManagement.listUsers({ organizationId });
    return Response.json(data.map(({ email }) => email).sort(), { headers });
  };
}
