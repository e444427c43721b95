import { createFileRoute } from '@tanstack/react-router';
import { requireSession } from 'sallyport/session';
import { sessions } from '../../sessions';

// Accepts session cookies and access tokens.
const me = requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true });

export const Route = createFileRoute('/api/me')({
  server: { handlers: { GET: ({ request }) => me(request) } },
});
