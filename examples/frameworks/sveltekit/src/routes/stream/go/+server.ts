import { open } from '../../../lib/server/gate';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = () => {
  open();
  return new Response(null, { status: 204 });
};
