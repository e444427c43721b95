import { createFileRoute } from '@tanstack/react-router';
import { requireSession } from 'sallyport/session';
import { sessions } from '../../sessions';

// Accepts session cookies and access tokens.
const me = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));

export const Route = createFileRoute('/api/me')({
  server: { handlers: { GET: ({ request }) => me(request) } },
});
