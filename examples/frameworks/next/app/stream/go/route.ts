import { open } from '../gate';

export async function POST() {
  open();
  return new Response(null, { status: 204 });
}
