import { open } from '#lib/server/gate.ts';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = () => {
  open();
  return new Response(null, { status: 204 });
};
