'use server';

import { next } from '../../sallyport';

export async function switchOrganization(_: string | null, form: FormData) {
  const result = await next.switchOrganization(String(form.get('organization')));
  return result.status === 'refused' ? result.reason : null;
}

export async function refresh() {
  await next.refresh();
}
