import type { APIRoute } from 'astro';
import { requireSession } from 'sallyport/session';
import { sessions } from '../../middleware';

const me = requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true });

export const GET: APIRoute = ({ request }) => me(request);
