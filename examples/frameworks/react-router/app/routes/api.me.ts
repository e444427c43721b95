import { requireSession } from 'sallyport/session';
import { sessions } from '../session.server';
import type { Route } from './+types/api.me';

// Accepts session cookies and access tokens.
const me = requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true });

export const loader = ({ request }: Route.LoaderArgs) => me(request);
