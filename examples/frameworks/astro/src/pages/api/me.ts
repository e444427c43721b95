import type { APIRoute } from 'astro';
import { requireSession } from 'sallyport/session';
import { sessions } from '../../middleware';

const me = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));

export const GET: APIRoute = ({ request }) => me(request);
